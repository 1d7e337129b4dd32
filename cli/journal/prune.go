package journal

import (
	"slices"
	"strings"
)

// modifies lists the commands whose result depends on what they change. Others write
// what they write anew.
var modifies = []string{
	"snapshot refresh", "snapshot note", "snapshot tag", "snapshot restore", "snapshot rename", "snapshot copy", "files", "sync",
}

// Pruned is what an answer depends on.
type Pruned struct {
	Entries []Entry
	// Inputs are what the entries read and none of them has made, as it was.
	Inputs Named
}

// succeeded reports whether others can depend on what an entry did.
func succeeded(e Entry) bool { return e.ExitCode == 0 || e.ExitCode == 1 || e.ExitCode == 10 }

// Depends returns the entries that an answer depends on, itself the last.
func Depends(entries []Entry, answer int) Pruned {
	p := Pruned{Inputs: Named{}}
	needs := map[string]bool{}
	for i := answer - 1; i >= 0; i-- {
		e := entries[i]
		if i != answer-1 && !(succeeded(e) && makesAny(e, needs)) {
			continue
		}
		p.Entries = append(p.Entries, e)
		for key := range e.Writes {
			delete(needs, key) // it is made here, and what was before does not matter
		}
		for key := range e.Reads {
			if _, made := e.Writes[key]; !made || modifiesOwn(e) {
				needs[key] = true
			}
		}
	}
	slices.Reverse(p.Entries)
	made := map[string]bool{}
	for _, e := range p.Entries {
		for key, hash := range e.Reads {
			if _, own := e.Writes[key]; !made[key] && (!own || modifiesOwn(e)) {
				p.Inputs[key] = hash
			}
		}
		for key := range e.Writes {
			made[key] = true
		}
	}
	return p
}

func makesAny(e Entry, needs map[string]bool) bool {
	for key := range e.Writes {
		if needs[key] {
			return true
		}
	}
	return false
}

func modifiesOwn(e Entry) bool {
	return slices.ContainsFunc(modifies, func(m string) bool { return e.Command == m || strings.HasPrefix(e.Command, m+" ") })
}

// Answer returns the last step that succeeded, which is the answer where none is named;
// 0 if there is none.
func Answer(entries []Entry) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].ExitCode == 0 && entries[i].Bytes > 0 {
			return i + 1
		}
	}
	return 0
}
