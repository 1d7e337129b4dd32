package iceberg

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/source/listed"
)

// planningMode is the setting by which a catalog says that it alone plans scans: server.
// Where it only offers to, this process plans: that is faster, and knows bounds.
const planningMode = "scan-planning-mode"

// planning asks a catalog for the files of a snapshot, where it lets nobody else plan.
type planning func(ctx context.Context, root *listed.Root, p *plan) ([]*task, error)

// planned is an answer of the catalog: tasks, and the names of further ones.
type planned struct {
	Status string
	ID     string   `json:"plan-id"`
	More   []string `json:"plan-tasks"`
	Tasks  []struct {
		File    contentFile `json:"data-file"`
		Deletes []int       `json:"delete-file-references"`
	} `json:"file-scan-tasks"`
	Deletes []contentFile `json:"delete-files"`
	credentials
	Error struct{ Message string }
}

// contentFile is a file as a catalog writes it.
type contentFile struct {
	Content   string          `json:"content"`
	Path      string          `json:"file-path"`
	Format    string          `json:"file-format"`
	Spec      int             `json:"spec-id"`
	Partition json.RawMessage `json:"partition"`
	Rows      int64           `json:"record-count"`
	Size      int64           `json:"file-size-in-bytes"`
	Refers    string          `json:"referenced-data-file"`
	At        int64           `json:"content-offset"`
	Length    int64           `json:"content-size-in-bytes"`
	Keys      []int           `json:"equality-ids"`
	Encrypted string          `json:"key-metadata"`
}

// A catalog that is still planning is left alone for a while, each time for longer.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = time.Second
)

// plan asks for a plan until it is complete, and for the tasks of all its levels. A plan that
// nobody waits for any more is cancelled. Keys that come with a plan are used for its files.
func (c *catalog) plan(ctx context.Context, name string, path []string, root *listed.Root, p *plan) (all []*task, err error) {
	what := "a table " + name
	at, tasks := slices.Concat(path, []string{"plan"}), slices.Concat(path, []string{"tasks"})
	var answer planned
	body := map[string]any{"snapshot-id": p.snapshot.ID, "case-sensitive": true}
	if err := c.call(ctx, http.MethodPost, what, nil, body, &answer, at...); err != nil {
		return nil, err
	}
	id := answer.ID
	if id != "" {
		at = append(at, url.PathEscape(id))
		defer func() {
			if err != nil { // whether or not the catalog hears it
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPoll)
				defer cancel()
				_ = c.call(ctx, http.MethodDelete, what, nil, nil, nil, at...)
			}
		}()
	}
	for wait := firstPoll; answer.Status == "submitted" && id != ""; wait = min(2*wait, lastPoll) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
		answer = planned{}
		if err := c.call(ctx, http.MethodGet, what, nil, nil, &answer, at...); err != nil {
			return nil, err
		}
	}
	if answer.Status != "" && answer.Status != "completed" {
		return nil, unasked(ctx, fmt.Errorf("its plan is %s: %s", answer.Status, answer.Error.Message))
	}
	if c.borrows {
		again := func(ctx context.Context) ([]bucket.Lent, error) { return c.again(ctx, name, path, id) }
		if err := root.Borrow(answer.keys("", nil), again); err != nil {
			return nil, err
		}
	}
	what = "the plan of " + what
	seen, more := map[string]bool{}, answer.More
	for {
		if all, err = p.taken(all, answer); err != nil || len(more) == 0 {
			return once(p, all, err)
		}
		if len(seen) == maxPlanTasks {
			return nil, unasked(ctx, fmt.Errorf("its plan has more than %d tasks", maxPlanTasks))
		}
		next := more[0]
		if seen[next] {
			return nil, unasked(ctx, errors.New("its tasks name each other"))
		}
		seen[next], answer = true, planned{}
		if err := c.call(ctx, http.MethodPost, what, nil, map[string]any{"plan-task": next}, &answer, tasks...); err != nil {
			return nil, err
		}
		more = append(more[1:], answer.More...)
	}
}

// maxPlanTasks bounds the requests of one plan. Tests lower it.
var maxPlanTasks = 100_000

// once returns the tasks if none reads a file that another one reads.
func once(p *plan, all []*task, err error) ([]*task, error) {
	paths := map[string]bool{}
	for _, t := range all {
		if paths[t.path] {
			return nil, listed.Broken(p.metadata.file, fmt.Errorf("the catalog's plan has the file %s twice", t.path))
		}
		paths[t.path] = true
	}
	return all, err
}

// taken adds the tasks of an answer.
func (p *plan) taken(all []*task, answer planned) ([]*task, error) {
	deletes := make([]*entry, len(answer.Deletes))
	for i := range answer.Deletes {
		var err error
		if deletes[i], err = p.entryOf(&answer.Deletes[i]); err != nil {
			return nil, err
		}
	}
	for i := range answer.Tasks {
		e, err := p.entryOf(&answer.Tasks[i].File)
		if err != nil {
			return nil, err
		}
		if e.content != holdsData {
			return nil, listed.Broken(p.metadata.file, fmt.Errorf("the catalog's plan reads %s, which holds no data", e.path))
		}
		t := &task{entry: e}
		for _, n := range answer.Tasks[i].Deletes {
			if n < 0 || n >= len(deletes) {
				return nil, listed.Broken(p.metadata.file, fmt.Errorf("the catalog's plan has no delete file %d", n))
			}
			switch d := deletes[n]; {
			case d.refers != "" && d.refers != e.path:
				continue // it is of another file
			case d.content == holdsData || d.format == "puffin" && t.vector != nil:
				return nil, listed.Broken(p.metadata.file, fmt.Errorf("the catalog's plan names %s for the deleted rows of %s, and it cannot hold them", d.path, e.path))
			case d.content == holdsEquality:
				t.equal = append(t.equal, d)
			case d.format == "puffin":
				t.vector = d
			default:
				t.positions = append(t.positions, d)
			}
		}
		if t.vector != nil {
			t.positions = nil
		}
		all = append(all, t)
	}
	return all, nil
}

// contents are what files hold.
var contents = map[string]int64{"data": holdsData, "position-deletes": holdsPosition, "equality-deletes": holdsEquality}

func (p *plan) entryOf(f *contentFile) (*entry, error) {
	content, ok := contents[strings.ToLower(strings.ReplaceAll(f.Content, "_", "-"))]
	if !ok {
		return nil, listed.Refused("its catalog plans a file that holds " + f.Content)
	}
	if f.Encrypted != "" {
		return nil, listed.Refused("it is encrypted")
	}
	e := &entry{content: content, path: f.Path, format: strings.ToLower(f.Format), spec: f.Spec, rows: f.Rows, size: f.Size,
		refers: f.Refers, at: f.At, length: f.Length, keys: f.Keys, partition: map[int]any{}}
	if content == holdsEquality {
		e.seq = 1 // a plan lists it only for older data files, whose sequence number is 0 here
	}
	var values []json.RawMessage
	var named map[string]json.RawMessage
	if len(f.Partition) > 0 && json.Unmarshal(f.Partition, &values) != nil && json.Unmarshal(f.Partition, &named) != nil {
		return nil, listed.Refused("its catalog plans a file whose partition cannot be read")
	}
	for i, part := range p.spec(f.Spec) {
		raw := named[strconv.Itoa(part.ID)]
		if i < len(values) {
			raw = values[i]
		}
		column := p.old[part.Source]
		if part.Transform != "identity" || column == nil || len(raw) == 0 {
			continue // only pruning would use it
		}
		value, ok := partitionValue(column.Type.Name, raw)
		if !ok {
			return nil, listed.Refused("its catalog plans scans, and it is partitioned by a column of type " + column.Type.Name)
		}
		e.partition[part.ID] = value
	}
	return e, nil
}

// moments are how types of moments are written.
var moments = map[string]string{"date": time.DateOnly, "time": time.TimeOnly, "timestamp": "2006-01-02T15:04:05", "timestamptz": time.RFC3339,
	"timestamp_ns": "2006-01-02T15:04:05", "timestamptz_ns": time.RFC3339}

// partitionValue decodes a partition value from the JSON form of the table specification.
func partitionValue(typ string, raw json.RawMessage) (any, bool) {
	text := string(raw)
	if raw[0] == '"' && json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	if text == "null" && raw[0] != '"' {
		return nil, true
	}
	if scale, ok := listed.ScaleOf(typ); ok {
		if len(text) > maxDigits || strings.ContainsAny(text, "eExX/_") { // 1e999999999 would be huge
			return nil, false
		}
		n, ok := new(big.Rat).SetString(text)
		if !ok {
			return nil, false
		}
		n.Mul(n, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
		return twosOf(n.Num()), n.IsInt()
	}
	if layout := moments[typ]; layout != "" {
		t, err := time.Parse(layout, text)
		u, clock := unit(typ)
		switch {
		case !clock:
			return t.Unix() / 86400, err == nil
		case typ == "time":
			return int64(t.Sub(t.Truncate(24*time.Hour)) / u), err == nil
		}
		per := int64(time.Second / u)
		return t.Unix()*per + int64(t.Nanosecond())/int64(u), err == nil
	}
	switch name, _, _ := strings.Cut(typ, "["); name {
	case "boolean":
		return text == "true", text == "true" || text == "false"
	case "int", "long":
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	case "float", "double":
		f, err := strconv.ParseFloat(text, 64)
		return f, err == nil
	case "string":
		return []byte(text), true
	case "uuid", "fixed", "binary":
		b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		return b, err == nil
	}
	return nil, false
}

// maxDigits bounds the text of a decimal.
const maxDigits = 100

// twosOf writes an integer in two's complement.
func twosOf(n *big.Int) []byte {
	size := uint(n.BitLen()/8 + 1)
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 8*size))
	}
	return n.FillBytes(make([]byte, size))
}
