package learner

import (
	"fmt"

	"damier/data"
)

// kinded is an error of a kind, such as data.ErrForeign, whose text says by itself what is wrong.
// errors.Is finds the kind; the text does not name it.
type kinded struct {
	error
	kind error
}

func (e kinded) Unwrap() []error { return []error{e.error, e.kind} }

// foreign formats an error, like fmt.Errorf, that wraps data.ErrForeign.
func foreign(format string, args ...any) error {
	return kinded{fmt.Errorf(format, args...), data.ErrForeign}
}

// damaged formats an error, like fmt.Errorf, that wraps data.ErrDamaged.
func damaged(format string, args ...any) error {
	return kinded{fmt.Errorf(format, args...), data.ErrDamaged}
}
