package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/api"
)

// Limits bound the process.
type Limits struct {
	// Memory limits the memory of the server and all its processes, in bytes; 0:
	// each engine has its own limit.
	Memory int64
}

// Shares are the parts of Limits.Memory; 0 where it says nothing.
type Shares struct {
	Scan      int64 // of each engine that scans a lake
	Statement int64 // of each statement over a lake, which runs in its own process
	Files     int64 // of all result files that are being written
	Documents int64 // of all contents of users' files that are being decoded
}

// ownMemory is not divided: it is for the program itself, and for batches and
// requests in transit. A lake divides its share by lakeEngines, one for ordered
// results and one for others, and by lakeStatements, its concurrent statements.
const (
	ownMemory      = 200_000_000
	lakeEngines    = 2
	lakeStatements = 4
	leastScan      = 100_000_000 // below it, little more than a few columns can be read
	leastMemory    = 2 * lakeEngines * leastScan
)

// Shares gives half of the memory to scans, a quarter to statements and a quarter
// to files. If users keep files on the server, half of that quarter is for what is
// in them. Lakes with their own memory_limit are not included: theirs is
// additional.
func (i *Instance) Shares() Shares {
	if i.Limits.Memory == 0 {
		return Shares{}
	}
	rest, lakes := i.Limits.Memory-ownMemory, max(i.sharingLakes(), 1)
	s := Shares{Scan: rest / 2 / lakeEngines / lakes, Statement: rest / 4 / lakeStatements / lakes, Files: rest / 4}
	if i.Files != nil {
		s.Documents = s.Files / 2
		s.Files -= s.Documents
	}
	return s
}

func (i *Instance) sharingLakes() (n int64) {
	for _, s := range i.Sources {
		if s.Type == api.SourceLake && s.Size["memory_limit"] == 0 {
			n++
		}
	}
	return n
}

// limits reads the section, and checks the shares once the sources are known.
func (p *instanceReader) limits(n ast.Node) {
	var at position
	p.mapping(n, "limits", []field{{"memory", func(n ast.Node) {
		at = nodePosition(n)
		p.inst.Limits.Memory = p.bytes(n)
	}}})
	p.later = append(p.later, func() {
		least := ownMemory + leastMemory*max(p.inst.sharingLakes(), 1)
		if m := p.inst.Limits.Memory; m > 0 && m < least {
			p.faultAt(at, "must be %dMB or more for the lakes of this file", least/1_000_000)
		}
	})
}
