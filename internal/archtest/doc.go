// Package archtest holds what is drawn and written of the module true: imports go down only, from floor to floor as the
// tables in its tests have them, the README lists every package, and no page links to what is not there. It has tests
// and no code.
package archtest
