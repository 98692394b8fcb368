package egdb

type file struct{}

func (f *file) at(i uint64) (value, error) { panic("todo") }
