// Package archtest holds the drawing of the packages true: imports go down only. It has tests and no code.
//
// The floors, from the ground up; a package may import packages of lower floors, and of its own floor only where
// the list says so.
//
//	0  rules, internal/simd, internal/cli, internal/clitest
//	1  mcts, alphabeta, data, notation, protocol/hub
//	2  net, net/train, selfplay, arena, player
//	3  learner
//	4  cmd/*
package archtest
