package evaluate

// longHelp explains the command evaluate.
const longHelp = `Play a match between two players: every opening twice with colours reversed. The table says how A
did: wins, draws and losses, score, Elo with its 95 % interval, computed from the pairs of games.

A player is one of
  alphabeta:depth=N       the alpha-beta baseline, N plies deep; also alphabeta:time=0.1s and
                          alphabeta:nodes=N; alphabeta-1:depth=N asks for that version of it,
                          alphabeta-material:depth=N for one that counts pieces and knows nothing else
  nnue, nnue:FILE         the same search over a trained network, that of the variant that comes with the
                          program, or the file of a run of train: nnue:depth=N, nnue:FILE,time=0.1s
  tree, tree:FILE         a tree search over the same networks, searching --visits or --time per move; with
                          settings of its own behind it, as in tree:visits=200 or tree:FILE,time=0.1s:
                          visits, time, leaves (evaluated together), cores (with time; one if not given),
                          temperature (of its look one ply ahead), and root (gumbel or puct), candidates,
                          c_visit, c_scale, c_puct, fpu, best, least_visits, scout, share, forcing,
                          repetition_draw, reuse and max_nodes, which are explained in package mcts
  random                  random legal moves
  hub:"PROGRAM ARGS"      a program that speaks Hub, started here, searching --time per move, or with
                          settings of its own behind it: depth=N, nodes=N, time=D, dir=FOLDER to run in,
                          and its parameters by their names, as in hub:"./scan hub",time=1s,book=false
  dxp:HOST:PORT           a program that listens for DamExchange there; international draughts only, one
                          game at a time, with 5 minutes for a game or time=D, which is D for a whole
                          game; say=TEXT sends it a text first

The variant is that of the first network file, unless --variant says it. alphabeta, nnue and tree also take
level=N, one of the board's levels of strength, from 1, and egdb=on, off (the default) or DIR: endgame
tables, those of the user's folder and what is made in memory of up to 3 pieces, or those of another folder.
The command egdb makes them. book=on, off (the default) or FILE gives them an opening book: the user's or that of
the program, or another, see damier book.

A program that dies, breaks its protocol or is out of time has lost that game; standard error says why.

With --sprt 0,50 the match is a sequential test (pentanomial, normalised Elo): it ends as soon as it is
clear, at 5 % error each, whether A is stronger than B by 0 or by 50. --games is then the limit.

What a proof of "A is stronger than B" needs; the line "proof" of the result says what is missing:
  - the same wall time per move, or the same clock, for both, and a core for each game: equal visits or
    depths compare other things
  - openings in pairs, each with both colours, at least 250 different ones, none used in training, none
    played twice
  - a sequential test with bounds 0,50 and a limit of 1200 games (600 pairs) that accepts; "inconclusive"
    is an answer too. It takes about 256 games if A is stronger by 50, 420 if the truth is in the middle
  - no two equal games, no illegal move, no time overrun, no adjudication
So: evaluate --a NEW --b OLD --time 0.1s --games 1200 --sprt 0,50. The best of several candidates is to be
confirmed once more, on fresh openings. Where more than 90 % of the games are drawn, a match from
unbalanced openings (--unbalanced) may be added, but not stand instead. See docs/matches.md.

With --listen other machines play the games, each pair on one of them: it prints the line that they type,
evaluate --join ... The games are those that this machine would have played, so that only visits, depth and
nodes can limit the players. A pair whose worker is gone is given to another, and counts once.

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
