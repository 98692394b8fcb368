// Package dxp implements DamExchange (DXP), with which two draughts programs play international
// draughts over a TCP connection, after the pages of F. Mesander.
//
//   - A [Message] is one of seven kinds. [Parse] reads it, and a [Conn] frames it.
//   - A [Machine] is the state of one end of a conversation: which messages may be sent and
//     received, and the game played. It does no input or output.
//   - A [Session] is a Machine on a Conn. It asks for games or accepts them, and plays them with a
//     [Thinker].
//   - A [Player] is the program at the other end as a player of matches.
//
// Either end may listen and the other connect. Independently of that, one end is the Initiator,
// which asks for games, and the other the Follower. The protocol has no clock: each side counts
// its own time.
//
// Squares are numbers 1 to 50. Only international draughts can be played, because the protocol
// cannot express any other variant. The package does not search and has no flags.
package dxp
