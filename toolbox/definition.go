package toolbox

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Definition is a tool as those see it who call it.
type Definition struct {
	Name, Title, About string
	// In and Out are the schemas of its arguments and of its answer.
	In, Out *jsonschema.Schema
	// What a call does to the world; see tool.
	ReadOnly, Destructive, Idempotent, Open bool
	// ServiceOnly: it needs neither snapshots nor files of this machine.
	ServiceOnly bool
	// Files: it reads or writes local files by their paths.
	Files bool
}

func (t tool) definition() Definition {
	return Definition{
		Name: t.name, Title: t.title, About: t.about, In: t.in, Out: t.out,
		ReadOnly: t.readOnly, Destructive: t.destructive, Idempotent: t.readOnly || t.idempotent, Open: t.open,
		ServiceOnly: t.needs == needsService, Files: t.needs&needsFiles != 0,
	}
}

// Required returns the names of the arguments that must be given, Optional those
// of the others.
func (d Definition) Required() []string { return d.arguments(true) }

// Optional returns the names of the arguments that may be left out.
func (d Definition) Optional() []string { return d.arguments(false) }

func (d Definition) arguments(required bool) (names []string) {
	for _, name := range d.In.PropertyOrder {
		if slices.Contains(d.In.Required, name) == required {
			names = append(names, name)
		}
	}
	return names
}

// Definitions describes the tools of the box, in the order in which a model needs them.
func (b *Box) Definitions() []Definition { return definitions(b.tools) }

// All describes every tool that there is, in the same order.
func All() []Definition { return definitions(tools()) }

func definitions(list []tool) (all []Definition) {
	for _, t := range list {
		all = append(all, t.definition())
	}
	return all
}
