package egdb

import "sync"

// cache limits the memory of the pages read from files. A probe that finds its page takes no lock.
// A dropped page stays valid for goroutines that still read it.
type cache struct {
	most int // limit in bytes

	mu     sync.Mutex
	bytes  int
	loaded []pageOf
	random uint64
}

// pageOf is a page that is loaded.
type pageOf struct {
	file *file
	page int
}

// load reads a page into memory, and drops another one if there are too many.
func (c *cache) load(f *file, i int) (*page, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := f.pages[i].Load(); p != nil {
		return p, nil // another goroutine has loaded it
	}
	p, err := f.read(i)
	if err != nil {
		return nil, err
	}
	for c.bytes+pageSize > c.most && len(c.loaded) > 0 {
		c.random = c.random*6364136223846793005 + 1442695040888963407
		n := int(c.random >> 33 % uint64(len(c.loaded)))
		old := c.loaded[n]
		old.file.pages[old.page].Store(nil)
		c.loaded[n] = c.loaded[len(c.loaded)-1]
		c.loaded = c.loaded[:len(c.loaded)-1]
		c.bytes -= pageSize
	}
	f.pages[i].Store(p)
	c.loaded = append(c.loaded, pageOf{f, i})
	c.bytes += pageSize
	return p, nil
}
