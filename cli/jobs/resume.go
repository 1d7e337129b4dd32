package jobs

import (
	"maps"
	"slices"

	"github.com/agnes-data/da/cli/journal"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// resume finds the steps of the last run that need not run again: they succeeded, and
// what they name holds what the run has left there.
func (r *runner) resume() {
	last := lastRun(r.dir)
	now := r.allNames()
	r.kept, r.run.Holds = map[string]*outcome{}, now
	for _, s := range r.steps {
		out := last.Steps[s.Name]
		if out != nil && (out.Status == ok || out.Status == unchanged) && shellwords.Join(out.Command) == shellwords.Join(s.words) &&
			!anyMoved(out.Names, last.Holds, now) && !anyMoved(r.names(s).Keys(), last.Holds, now) {
			r.kept[s.Name] = out
			r.run.Steps[s.Name] = out
		}
	}
}

// done records a step. Later ones that name what it has changed run, too.
func (r *runner) done(s step, out *outcome) {
	before, now := r.run.Holds, r.allNames()
	r.run.Steps[s.Name], r.run.Holds = out, now
	out.Names = r.names(s).Keys()
	at := slices.IndexFunc(r.steps, func(other step) bool { return other.Name == s.Name })
	for _, later := range r.steps[at+1:] {
		if k := r.kept[later.Name]; k != nil && anyMoved(k.Names, before, now) {
			delete(r.kept, later.Name)
			delete(r.run.Steps, later.Name)
		}
	}
}

func anyMoved(keys []string, from, to journal.Named) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return from[k] != to[k] })
}

// allNames returns what the command lines of all steps name.
func (r *runner) allNames() journal.Named {
	all := journal.Named{}
	for _, s := range r.steps {
		maps.Copy(all, r.names(s))
	}
	return all
}
