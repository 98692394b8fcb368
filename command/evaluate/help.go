package evaluate

// longHelp explains the command evaluate.
const longHelp = `Play a match between two players. Every opening is played twice with colours reversed. The table
shows how A did: wins, draws and losses, score, and Elo with its 95 % interval, which is computed from the
pairs of games.

A player is one of
  alphabeta:depth=N       the alpha-beta baseline, N plies deep; also alphabeta:time=0.1s and
                          alphabeta:nodes=N; alphabeta-1:depth=N is version 1 of it, and
                          alphabeta-material:depth=N a version that only counts pieces
  nnue, nnue:FILE         the newest search with a trained network: the program's own network for the
                          variant, or a file from a run of train; nnue:depth=N, nnue:FILE,time=0.1s;
                          version=alphabeta-1 takes an earlier search
  tree, tree:FILE         a tree search with the same networks, limited by --visits or --time per move.
                          Its settings follow it, as in tree:visits=200 or tree:FILE,time=0.1s: visits,
                          time, leaves (evaluated together), cores (with time; 1 if not given),
                          temperature (of its search one ply ahead), and root (gumbel or puct),
                          candidates, c_visit, c_scale, c_puct, c_puct_growth, fpu, best, least_visits,
                          scout, share, repetition_draw, reuse and max_nodes; package mcts explains them
  random                  random legal moves
  hub:"PROGRAM ARGS"      a program that speaks Hub, started by this command, limited by --time per move.
                          Its settings follow it: depth=N, nodes=N, time=D, dir=FOLDER to run in, and
                          its own parameters by name, as in hub:"./scan hub",time=1s,book=false
  dxp:HOST:PORT           a program that listens for DamExchange there; only international draughts, one
                          game at a time; 5 minutes for a game, or D with time=D; say=TEXT sends
                          the program a text first

The variant is that of the first network file, unless --variant is given. alphabeta, nnue and tree also take
  level=N                 one of the board's levels of strength, from 1
  egdb=on, off or DIR     endgame tables: on is the user's folder and tables of up to 3 pieces made in
                          memory, off is the default, DIR another folder; the command egdb makes tables
  book=on, off or FILE    an opening book: on is the user's book or the program's own, off is the default,
                          FILE another book; see damier book

A player that dies, breaks its protocol or exceeds its time loses that game; standard error says why.

With --sprt 0,50 the match is a sequential test (pentanomial, normalised Elo). It ends as soon as it is
clear, at 5 % error each, whether A is stronger than B by 0 or by 50. --games is then the largest number.

What a proof of "A is stronger than B" needs (the line "proof" of the result says what is missing):
  - the same wall time per move, or the same clock, for both, and a core for each game; equal visits or
    equal depths compare something else
  - openings in pairs, each with both colours; at least 250 different ones, none used in training, none
    played twice
  - a sequential test with bounds 0,50 and a limit of 1200 games (600 pairs) that accepts; "inconclusive"
    is a result too. The test takes about 256 games if A is stronger by 50, and 420 if A is stronger by 25
  - no two equal games, no illegal move, no time overrun, no adjudication
So: evaluate --a NEW --b OLD --time 0.1s --games 1200 --sprt 0,50. Confirm the best of several candidates
once more, on fresh openings. Where more than 90 % of the games are drawn, a match from unbalanced openings
(--unbalanced) may be added, but it cannot replace this one. See docs/matches.md.

With --listen other machines play the games, each pair on one of them. The command prints the line to type
there, evaluate --join ... The games are the same as on this machine alone, so only visits, depth and nodes
can limit the players. A pair whose worker disappears goes to another worker, and counts once.

Exit code: 0 the match was played (with --sprt: A is stronger), 1 failure, 2 wrong usage, 3 with --sprt: A
is not stronger, 4 damaged or foreign file, 5 with --sprt: inconclusive, 130 interrupted (the result of
the games played until then is printed).`

// exampleHelp has examples of the command evaluate.
const exampleHelp = `  evaluate --a alphabeta:depth=6 --b random --games 20
  evaluate --a tree:runs/international/models/gen-000150.nnue --b alphabeta:depth=4 --visits 200 --games 200
  evaluate --a tree:new.nnue --b tree:old.nnue --time 0.1s --games 1200 --sprt 0,50 --pdn match.pdn
  evaluate --a tree:new.nnue --b alphabeta --clock 60s+0.5s --games 20
  evaluate --a tree:new.nnue,c_puct=0.7 --b tree:new.nnue --visits 400
  evaluate --a tree --b nnue --time 0.1s --games 1200 --sprt 0,50
  evaluate --a tree:visits=200 --b alphabeta:depth=4
  evaluate --a alphabeta:time=0.1s --b 'hub:"./scan hub",time=0.1s,book=false' --games 20
  evaluate --a alphabeta:time=0.1s --b dxp:localhost:27531,time=3m --games 20
  evaluate --variant english --a tree:visits=200,egdb=on --b tree:visits=200 --egdb on
  evaluate --a nnue:nodes=5000,book=on --b nnue:nodes=5000 --games 200
  evaluate --variant frisian --a alphabeta:depth=4 --b alphabeta-material:depth=4
  evaluate --a tree:new.nnue --b tree:old.nnue --visits 400 --games 10000 --sprt 0,10 --listen 0.0.0.0:4222
  evaluate --join tls://192.168.1.5:4222 --token-file T --fingerprint 60b1...
  evaluate tournament --player tree:new.nnue --player tree:old.nnue --player nnue --control 0.1s --out july
  evaluate openings --count 300 --out openings.txt`
