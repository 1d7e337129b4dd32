package main

import (
	"context"
	"strings"
)

// part is one table of figures.
type part struct {
	name, title string
	run         func(context.Context, *world) error
}

func (p part) matches(only string) bool { return strings.Contains(p.name, only) }

var parts = []part{
	{"fetch", "Fetch 3 M rows × 8 columns over loopback HTTP, against DuckDB's own COPY in one process", fetchPart},
	{"line", "Every fetch through slow lines", linePart},
	{"memory", "Peak memory, server and client", memoryPart},
	{"clients", "Scans beside each other", clientsPart},
	{"reuse", "What is here already, embedded: 3 M of 6 M rows × 5 of 6 columns out of a snapshot, refreshes, plans", reusePart},
	{"warm", "Small commands, warm", warmPart},
}
