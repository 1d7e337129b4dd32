package synced

import (
	"fmt"
	"os"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// Part is a file that is being pulled. Write can be called concurrently for
// different chunks.
type Part struct {
	s     *Store
	table api.SyncTable
	path  string // of data
	data  *os.File

	mu   sync.Mutex
	log  *os.File
	done map[int64]bool // by offset
}

// Chunk is a range of bytes.
type Chunk struct{ From, Size int64 }

// installed reports whether the data already has its final name.
func (p *Part) installed() bool { return p.path == p.s.files.Path(dataName(p.table)) }

func (p *Part) failed(err error) error {
	return atomicfile.Explain(fmt.Sprintf("sync table '%s'", p.table.TableID), err)
}

// discard removes what has arrived. A later sweep removes what this cannot.
func (p *Part) discard() {
	_ = os.Remove(p.path)
	_ = os.Remove(p.s.files.Path(doneName(p.table)))
}
