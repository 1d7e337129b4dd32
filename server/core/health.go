package core

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/server/state"
)

// From when on a check warns.
const (
	lowDisk    = 2_000_000_000
	noDisk     = 100_000_000
	largeState = 2_000_000_000
	tokenEnds  = 14 * 24 * time.Hour
	failedFor  = time.Hour
)

// Health implements api.HealthAdmin.
func (s *Session) Health(ctx context.Context) ([]api.HealthCheck, error) {
	return adminRead(s, func() ([]api.HealthCheck, error) {
		checks := []api.HealthCheck{s.core.diskCheck(), s.core.stateCheck(), s.core.copiesCheck()}
		if !s.who.Local { // this process is the server
			checks = append(checks, s.core.memoryCheck(), descriptorCheck())
		}
		for _, check := range []func(context.Context) (api.HealthCheck, error){s.core.failureCheck, s.core.quotaCheck, s.core.tokenCheck,
			s.core.scheduleCheck, s.core.blobsCheck, s.core.instanceCheck} {
			one, err := check(ctx)
			if err != nil {
				return nil, err
			}
			if one.Name != "" {
				checks = append(checks, one)
			}
		}
		return checks, nil
	})
}

func (c *Core) diskCheck() api.HealthCheck {
	check := api.HealthCheck{Name: "disk", Status: api.CheckOK, Fix: "Make room on the disk of state_dir, or move it; see 'How much it takes' in docs/operating.md."}
	free, err := store.FreeBytes(c.stateDir)
	switch {
	case err != nil:
		check.Status, check.Says = api.CheckFailed, "the disk of state_dir cannot be measured: "+err.Error()
		return check
	case free < noDisk:
		check.Status = api.CheckFailed
	case free < lowDisk:
		check.Status = api.CheckWarning
	default:
		check.Fix = ""
	}
	check.Says = humanize.Bytes(free) + " free below state_dir"
	return check
}

// isNear reports whether at most a tenth of a limit is left.
func isNear(used, limit int64) bool { return used >= limit-limit/10 }

// limited is a check of something that has a limit.
func limited(name string, used, limit int64, says, fix string) api.HealthCheck {
	check := api.HealthCheck{Name: name, Status: api.CheckOK, Says: says}
	if isNear(used, limit) {
		check.Status, check.Fix = api.CheckWarning, fix
	}
	return check
}

// memoryCheck looks at the server's own process.
func (c *Core) memoryCheck() api.HealthCheck {
	text, err := os.ReadFile("/proc/self/statm")
	var all, pages int64 // of the program, and of these in memory
	if err == nil {
		_, err = fmt.Sscan(string(text), &all, &pages)
	}
	if err != nil {
		return api.HealthCheck{Name: "memory", Status: api.CheckSkipped, Says: "this system does not tell"}
	}
	used := pages * int64(os.Getpagesize())
	if c.memory == 0 {
		return api.HealthCheck{Name: "memory", Status: api.CheckOK, Says: humanize.Bytes(used) + "; limits.memory sets no limit"}
	}
	return limited("memory", used, c.memory, humanize.Bytes(used)+" of "+humanize.Bytes(c.memory)+", without the processes of statements",
		"Raise limits.memory, or lower max_concurrent_per_user.")
}

func descriptorCheck() api.HealthCheck {
	var limit syscall.Rlimit
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil || syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return api.HealthCheck{Name: "open files", Status: api.CheckSkipped, Says: "this system does not tell"}
	}
	most := int64(min(limit.Cur, 1<<40))
	return limited("open files", int64(len(open)), most, fmt.Sprintf("%d of %s", len(open), humanize.Grouped(most)),
		"Allow the process more files: LimitNOFILE of the unit, or ulimit -n.")
}

// stateCheck looks at the size of the file that holds users and audit.
func (c *Core) stateCheck() api.HealthCheck {
	info, err := os.Stat(filepath.Join(c.stateDir, "state.db"))
	if err != nil {
		return api.HealthCheck{Name: "state", Status: api.CheckOK, Says: "can be read"}
	}
	return limited("state", info.Size(), largeState, "state.db has "+humanize.Bytes(info.Size()),
		"Remove old events of the audit.")
}

// copiesCheck names the copies of tables whose schedule is overdue.
func (c *Core) copiesCheck() api.HealthCheck {
	var late []string
	scheduled := 0
	for _, t := range c.byID {
		if t.QueryMode != api.ModeLocal || t.RefreshEvery == 0 {
			continue
		}
		scheduled++
		f, ok := c.files.Current(t.ID, cacheKey(t, t.unrestricted(), ""))
		if !ok || c.now().Sub(f.CheckedAt) > 2*t.RefreshEvery {
			late = append(late, t.ID)
		}
	}
	check := api.HealthCheck{Name: "copies", Status: api.CheckOK, Says: humanize.Plural(int64(scheduled), "table", "tables") + " on schedule"}
	if len(late) > 0 {
		check.Status, check.Says = api.CheckWarning, "overdue: "+some(late)
		check.Fix = "Look into the server's log for 'a scheduled refresh failed', or refresh one by hand."
	}
	return check
}

// some names the first few.
func some(names []string) string {
	const few = 5
	slices.Sort(names)
	if len(names) > few {
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", len(names)-few)
	}
	return strings.Join(names, ", ")
}

// failureCheck counts what failed lately by the fault of the server or a source.
func (c *Core) failureCheck(ctx context.Context) (api.HealthCheck, error) {
	events, err := c.state.Audit(ctx, api.AuditQuery{Since: c.now().Add(-failedFor), Limit: api.DefaultAuditRows})
	if err != nil {
		return api.HealthCheck{}, err
	}
	kinds := map[string]int{}
	for _, e := range events {
		if e.Data.Status == api.StatusError && e.Data.ErrorKind != nil {
			kinds[*e.Data.ErrorKind]++
		}
	}
	check := api.HealthCheck{Name: "requests", Status: api.CheckOK, Says: "none failed in the last hour"}
	if len(kinds) > 0 {
		var told bytes.Buffer
		for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return cmp.Or(kinds[b]-kinds[a], cmp.Compare(a, b)) }) {
			fmt.Fprintf(&told, ", %d × %s", kinds[kind], kind)
		}
		check.Status, check.Says = api.CheckWarning, "failed in the last hour: "+told.String()[2:]
		check.Fix = "See in the audit which they were."
	}
	return check, nil
}

// quotaCheck names the users who have used up most of what they may have today.
func (c *Core) quotaCheck(ctx context.Context) (api.HealthCheck, error) {
	list, err := c.state.Quotas(ctx, c.userLimits())
	var near []string
	for _, q := range list {
		if q.DailyBytesLimit != nil && isNear(q.ResultBytes+q.ScanBytes+q.ReservedBytes, *q.DailyBytesLimit) {
			near = append(near, q.User)
		}
	}
	check := api.HealthCheck{Name: "quotas", Status: api.CheckOK, Says: "nobody is near their quota of today"}
	if len(near) > 0 {
		check.Status, check.Says = api.CheckWarning, "at most a tenth of today's quota is left to "+some(near)
		check.Fix = "Raise max_daily_bytes_per_user if what they read is as it should be."
	}
	return check, err
}

// tokenCheck names whose tokens end soon.
func (c *Core) tokenCheck(ctx context.Context) (api.HealthCheck, error) {
	list, err := c.state.Tokens(ctx, "")
	var ending []string
	for _, t := range list {
		if t.RevokedAt == nil && t.ExpiresAt != nil && t.ExpiresAt.After(c.now()) && t.ExpiresAt.Before(c.now().Add(tokenEnds)) {
			ending = append(ending, t.User)
		}
	}
	ending = slices.Compact(slices.Sorted(slices.Values(ending)))
	check := api.HealthCheck{Name: "tokens", Status: api.CheckOK, Says: "none ends within two weeks"}
	if len(ending) > 0 {
		check.Status, check.Says = api.CheckWarning, "end within two weeks: "+some(ending)
		check.Fix = "Make new ones in time."
	}
	return check, err
}

// lastStarted is the kind under which the state keeps what its servers have to have in common,
// as the server has it that started last.
const lastStarted = "started"

// Announce tells the other servers of the state which tables and limits this one has.
func (c *Core) Announce(ctx context.Context) error {
	data, err := c.common()
	if err != nil {
		return err
	}
	return c.state.ChangeKnown(ctx, lastStarted, lastStarted, func(*state.Known) (*state.Known, error) {
		return &state.Known{Kind: lastStarted, Name: lastStarted, Data: data}, nil
	})
}

// common is a hash of what all servers of a state have to take from one instance file.
func (c *Core) common() (string, error) {
	var tables []config.Table
	for _, t := range c.byID {
		tables = append(tables, t.Table)
	}
	slices.SortFunc(tables, func(a, b config.Table) int { return cmp.Compare(a.ID, b.ID) })
	text, err := json.Marshal(map[string]any{"tables": tables, "limits": c.limits})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// instanceCheck compares the instance file with that of the server that started last. Without
// other servers there is no check.
func (c *Core) instanceCheck(ctx context.Context) (check api.HealthCheck, err error) {
	all, err := c.state.Known(ctx, lastStarted)
	if err != nil || len(all) == 0 {
		return check, err
	}
	data, err := c.common()
	check = api.HealthCheck{Name: "instance", Status: api.CheckOK, Says: "tables and limits are those of the server that started last"}
	if all[0].Data != data {
		check.Status, check.Says = api.CheckWarning, "another server on this state, which started later, has other tables or limits"
		check.Fix = "Give all servers the same instance file, and restart those that had another."
	}
	return check, err
}

// blobsCheck writes to the place where servers keep files for each other, if there is one.
func (c *Core) blobsCheck(ctx context.Context) (check api.HealthCheck, err error) {
	if c.shared.blobs == nil {
		return check, nil
	}
	check = api.HealthCheck{Name: "blobs", Status: api.CheckOK, Says: "can be written"}
	name := strings.Repeat("0", 32) + ".check"
	err = c.shared.blobs.Put(ctx, name, strings.NewReader("x"), 1)
	if err == nil {
		err = c.shared.blobs.Remove(ctx, name)
	}
	if err != nil {
		check.Status, check.Says = api.CheckFailed, "cannot be written: "+fault.Cause(err)
		check.Fix = "Look at server.blobs in the instance file: the folder, or the bucket and what its key may do."
	}
	return check, nil
}
