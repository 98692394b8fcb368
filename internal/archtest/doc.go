// Package archtest tests the structure of the module: imports go down only, from floor to floor as
// in the tables of its tests; docs list every package; and no page links to something that does
// not exist. It has tests and no code.
package archtest
