package mcpserver

import "slices"

// Listed is a tool as documentation shows it.
type Listed struct {
	Name, Title, About string
	// Arguments are the names of its arguments, those that must be given first.
	Required, Optional []string
	// Writes says that --read-only leaves it out, HTTP that it is there over
	// HTTP too.
	Writes, HTTP bool
}

// List describes every tool, in the order in which a model needs them.
func List() []Listed {
	var all []Listed
	for _, t := range tools() {
		l := Listed{Name: t.name, Title: t.title, About: t.about, Writes: !t.readOnly, HTTP: t.needs == needsService}
		for _, name := range t.in.PropertyOrder {
			if slices.Contains(t.in.Required, name) {
				l.Required = append(l.Required, name)
			} else {
				l.Optional = append(l.Optional, name)
			}
		}
		all = append(all, l)
	}
	return all
}
