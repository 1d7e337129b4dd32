package iceberg

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/source/listed"
)

// plan implements listed.Plan for one snapshot.
type plan struct {
	*metadata
	schema   *schema
	snapshot *snapshot         // nil: the table has no rows yet
	old      map[int]*field    // all columns that the table ever had, by id
	byName   map[string]*field // those of the schema
	mapping  []mapped
	renamed  bool         // fields inside of columns have had other names, or have defaults
	dated    map[int]bool // fields that have been dates, by id
}

// task is a data file with what deletes rows from it.
type task struct {
	*entry
	vector    *entry
	positions []*entry
	equal     []*entry
}

func isKnown(err error) bool {
	var e *api.Error
	return errors.As(err, &e)
}

func (p *plan) spec(id int) []partition {
	for i := range p.Specs {
		if p.Specs[i].ID == id {
			return p.Specs[i].Fields
		}
	}
	return nil
}

// partitioned reports whether a spec has a field. In format 1 those that are dropped stay, as void.
func (p *plan) partitioned(spec int) bool {
	return slices.ContainsFunc(p.spec(spec), func(f partition) bool { return f.Transform != "void" })
}

// Lend implements listed.Lent. Engines that are told to read a snapshot give it the
// columns that the table had when it was written.
func (p *plan) Lend() (folder string, version int64, ok bool, err error) {
	if p.snapshot == nil {
		return "", 0, false, nil
	}
	if own := p.snapshot.Schema; own != nil && *own != p.schema.ID {
		err = &api.Error{Code: api.CodeSource, Kind: api.KindUnlikeFiles,
			Message: fmt.Sprintf("the columns of %s have changed since its snapshot %d was written, and engines read a snapshot with the columns that it had", p.dir, p.snapshot.ID),
			Hint:    "Any write to the table makes a snapshot with its columns of now; or ask for it as of that snapshot."}
	}
	return p.dir, p.snapshot.ID, err == nil, err
}

// Files implements listed.Plan.
func (p *plan) Files(ctx context.Context, r *listed.Request, may func(listed.Group) bool) ([]listed.File, error) {
	tasks, err := p.tasks(ctx, r, may)
	if err != nil {
		return nil, err
	}
	var out []listed.File
	for _, t := range tasks {
		f, err := p.file(r.Root, t)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b listed.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// tasks lists the data files that may have rows for the scan.
func (p *plan) tasks(ctx context.Context, r *listed.Request, may func(listed.Group) bool) (out []*task, err error) {
	if p.planning != nil && p.snapshot != nil {
		out, err = p.planning(ctx, r.Root, p)
		return slices.DeleteFunc(out, func(t *task) bool { return !may(p.group(t.entry)) }), err
	}
	entries, err := p.entries(ctx, r, may)
	if err != nil {
		return nil, err
	}
	d := p.deletes(entries)
	for _, e := range entries {
		if e.content == holdsData {
			out = append(out, d.of(e))
		}
	}
	return out, nil
}

// group is what is known of a file.
func (p *plan) group(e *entry) listed.Group {
	return listed.Group{Rows: e.rows, Bounds: func(name string, kind predicate.Kind) (interval.Bounds,
		bool) {
		return p.bounds(e, name, kind)
	}}
}

// file describes a data file.
func (p *plan) file(root *listed.Root, t *task) (f listed.File, err error) {
	f = listed.File{Group: p.group(t.entry), Size: t.size, Known: true, Exact: true, Mark: t.key(), Of: t}
	if f.Path, err = p.pathBelow(root, t.path); err != nil {
		return f, err
	}
	if t.format != "parquet" {
		return f, listed.Refused(fmt.Sprintf("its file %s is of the format %s", f.Path, t.format))
	}
	if v := t.vector; v != nil {
		f.Gone = v.rows
		f.Also = append(f.Also, listed.Sized{Path: fmt.Sprintf("%s@%d", v.path, v.at), Size: v.length})
	}
	for _, d := range slices.Concat(t.positions, t.equal) {
		if d.format != "parquet" {
			return f, listed.Refused(fmt.Sprintf("its file of deleted rows %s is of the format %s", path.Base(d.path), d.format))
		}
		f.Exact = false
		f.Also = append(f.Also, listed.Sized{Path: d.path, Size: d.size})
	}
	return f, nil
}

// entries lists the data files that may have rows for the scan, and the files of
// deleted rows.
func (p *plan) entries(ctx context.Context, r *listed.Request, may func(listed.Group) bool) ([]*entry, error) {
	if p.snapshot == nil {
		return nil, nil
	}
	if p.snapshot.List == "" {
		return nil, listed.Refused("its manifests are listed in its metadata, as early versions of format 1 have it")
	}
	rel, err := p.pathBelow(r.Root, p.snapshot.List)
	if err != nil {
		return nil, err
	}
	list, err := readList(r.Root, rel)
	if err != nil {
		return nil, err
	}
	var needed []manifest
	for i := range list {
		m := &list[i]
		summarised := listed.Group{Rows: 1, Bounds: func(name string, kind predicate.Kind) (interval.Bounds,
			bool) {
			return p.summarised(m, name, kind)
		}}
		if len(m.partition) == 0 || may(summarised) {
			needed = append(needed, *m)
		}
	}
	paths := make([]string, len(needed))
	for i := range needed {
		if paths[i], err = p.pathBelow(r.Root, needed[i].path); err != nil {
			return nil, err
		}
	}
	if err := r.Root.Bring(paths); err != nil {
		return nil, err
	}
	var out []*entry
	err = p.manifests(ctx, r, needed, func(list []*entry) {
		for _, e := range list {
			if e.content != holdsData || may(p.group(e)) {
				out = append(out, e)
			}
		}
	})
	return out, err
}

// manifests reads manifests, several at a time, and hands over what they list, one
// after the other.
func (p *plan) manifests(ctx context.Context, r *listed.Request, all []manifest, each func([]*entry)) error {
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
		next  int
	)
	work := func() {
		for {
			mu.Lock()
			at := next
			next++
			stop := first != nil || at >= len(all) || ctx.Err() != nil
			mu.Unlock()
			if stop {
				return
			}
			rel, err := p.pathBelow(r.Root, all[at].path)
			var list []*entry
			if err == nil {
				list, err = readManifest(r.Root, rel, all[at])
			}
			mu.Lock()
			if err == nil && first == nil {
				each(list)
			} else if first == nil {
				first = err
			}
			mu.Unlock()
		}
	}
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		wg.Go(work)
	}
	wg.Wait()
	return errors.Join(first, ctx.Err())
}

// deletes are the files that delete rows.
type deletes struct {
	vectors   map[string]*entry   // by the path of the data file
	positions map[string][]*entry // by partition
	equal     map[string][]*entry // by partition
	global    []*entry            // of tables without partitions: they hold for all files
}

// key names a partition.
func (e *entry) key() string { return fmt.Sprint(e.spec, e.partition) }

func (p *plan) deletes(all []*entry) *deletes {
	d := &deletes{vectors: map[string]*entry{}, positions: map[string][]*entry{}, equal: map[string][]*entry{}}
	for _, e := range all {
		switch {
		case e.content == holdsPosition && e.format == "puffin":
			if old := d.vectors[e.refers]; old == nil || old.seq < e.seq {
				d.vectors[e.refers] = e
			}
		case e.content == holdsPosition:
			d.positions[e.key()] = append(d.positions[e.key()], e)
		case e.content == holdsEquality && !p.partitioned(e.spec):
			d.global = append(d.global, e)
		case e.content == holdsEquality:
			d.equal[e.key()] = append(d.equal[e.key()], e)
		}
	}
	return d
}

// of collects what deletes rows from a data file. Places that the same commit wrote
// count, keys only if they came later; beside a vector no other places count.
func (d *deletes) of(e *entry) *task {
	t := &task{entry: e}
	if v := d.vectors[e.path]; v != nil && v.seq >= e.seq {
		t.vector = v
	}
	if len(d.positions)+len(d.equal)+len(d.global) == 0 {
		return t
	}
	key := e.key()
	if t.vector == nil {
		for _, p := range d.positions[key] {
			if p.seq >= e.seq && p.mayName(e.path) {
				t.positions = append(t.positions, p)
			}
		}
	}
	for _, q := range slices.Concat(d.equal[key], d.global) {
		if q.seq > e.seq {
			t.equal = append(t.equal, q)
		}
	}
	return t
}

// The columns of files of positions.
const filePathID = 2147483546

// mayName reports whether a file of positions may have some of a data file.
func (e *entry) mayName(path string) bool {
	if e.refers != "" {
		return e.refers == path
	}
	low, high := e.low[filePathID], e.high[filePathID]
	return (low == nil || string(low) <= path) && (high == nil || string(high) >= path)
}
