// Package dxp speaks DamExchange (DXP), by which two draughts programs play international draughts over a TCP
// connection, after the pages of F. Mesander.
//
//   - A [Message] is one of seven kinds, read by [Parse] and framed by a [Conn].
//   - A [Machine] is the state of one end of a conversation: which messages may be sent and received, and the game
//     that they play. It does no input or output.
//   - A [Session] is a Machine on a Conn. It asks for games or accepts them, and plays them with a [Thinker].
//   - A [Player] is the program at the other end as a player of matches.
//
// Either end may listen and the other connect; independently of that one is the Initiator, who asks for games,
// and the other the Follower. The protocol keeps no clock: each side counts its own time.
//
// Squares are numbers 1 to 50. Only international draughts is played: the protocol has no word for any other
// game. The package does not search and knows no flags.
package dxp
