package toolbox

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Definition describes a tool to its callers.
type Definition struct {
	Name, Title, About string
	// In and Out are the JSON schemas of arguments and answer.
	In, Out *jsonschema.Schema
	// The effects of a call; see tool.
	ReadOnly, Destructive, Idempotent, Open bool
	// ServiceOnly means that the tool needs no snapshots or files of this
	// machine.
	ServiceOnly bool
	// Files means that the tool reads or writes local files by path.
	Files bool
}

func (t tool) definition() Definition {
	return Definition{
		Name: t.name, Title: t.title, About: t.about, In: t.in, Out: t.out,
		ReadOnly: t.readOnly, Destructive: t.destructive, Idempotent: t.readOnly || t.idempotent, Open: t.open,
		ServiceOnly: t.needs == needsService, Files: t.needs&needsFiles != 0,
	}
}

// Required returns the names of the arguments that must be given.
func (d Definition) Required() []string { return d.arguments(true) }

// Optional returns the names of the arguments that may be omitted.
func (d Definition) Optional() []string { return d.arguments(false) }

func (d Definition) arguments(required bool) (names []string) {
	for _, name := range d.In.PropertyOrder {
		if slices.Contains(d.In.Required, name) == required {
			names = append(names, name)
		}
	}
	return names
}

// Definitions describes the tools of the box in their usual order of use.
func (b *Box) Definitions() []Definition { return definitions(b.tools) }

// All describes every existing tool, in the same order.
func All() []Definition { return definitions(tools()) }

func definitions(list []tool) (all []Definition) {
	for _, t := range list {
		all = append(all, t.definition())
	}
	return all
}
