package python

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/internal/sandbox"
)

// What a conversation may have in its working folder, which its runs share.
const (
	defaultDisk = 2000e6
	maxEntries  = 10_000 // files and folders: more take too long to count
)

// diskPause is the shortest time between two measurements of the folder. No limit of
// the kernel bounds it without privileges, so a run can exceed it by what it writes
// meanwhile.
const diskPause = 200 * time.Millisecond

// diskMost is the most that a conversation may have on disk.
func (i *Interpreter) diskMost() sandbox.Disk {
	return sandbox.Disk{Bytes: cmp.Or(i.Disk, defaultDisk), Entries: maxEntries}
}

// excess is what a conversation has on disk when that is too much.
type excess struct {
	used sandbox.Disk
	err  error // the process keeps its files from being counted
}

// measure returns nil if the conversation has no more on disk than it may. p is its
// process; nil if it has none.
func (s *Session) measure(p *process) *excess {
	pid := 0
	if p != nil {
		pid = p.cmd.Process.Pid
	}
	used, err := sandbox.Used(s.work(), pid, maxFile, s.with.diskMost())
	if err == nil && !used.Over(s.with.diskMost()) {
		return nil
	}
	return &excess{used, err}
}

// watch measures what a process has on disk while it lives, also between two calls,
// and kills it if that is too much.
func (s *Session) watch(p *process) {
	defer close(p.watched)
	for {
		began := time.Now()
		if e := s.measure(p); e != nil {
			p.excess.Store(e)
			p.cancel()
			return
		}
		select {
		case <-p.done:
			return
		case <-time.After(max(diskPause, 20*time.Since(began))): // at most a twentieth of a processor
		}
	}
}

// relieve returns nil if the conversation has no more on disk than it may. Otherwise
// it ends the process, removes what was written since the last call began, and returns
// the error that says so.
func (s *Session) relieve() error {
	p, e := s.running, (*excess)(nil)
	if p != nil {
		e = p.excess.Load()
	}
	if e == nil {
		e = s.measure(p)
	}
	if e == nil {
		return nil
	}
	if p != nil {
		p.end()
		s.running = nil
	}
	most := s.with.diskMost()
	what := fmt.Sprintf("%s in %d files and folders", humanize.Bytes(e.used.Bytes), e.used.Entries)
	if e.err != nil {
		what = "what cannot be measured"
	}
	removed, left, err := sandbox.RemoveSince(s.work(), s.since)
	said := fmt.Sprintf("%d files that this call had written or changed were removed, %d from before are kept (%s)", removed.Entries, left.Entries, humanize.Bytes(left.Bytes))
	if err != nil || left.Over(most) {
		said = "its files were removed, also those of earlier calls"
		err = errors.Join(os.RemoveAll(s.work()), os.Mkdir(s.work(), 0o700))
	}
	if err != nil {
		said = "not all of its files could be removed"
	}
	return &api.Error{Code: api.CodeTooLarge, Kind: "python_disk", Err: errors.Join(e.err, err),
		Message: fmt.Sprintf("Python: the process was ended, and its variables are lost: its working folder had %s, and %s in %d are allowed; %s",
			what, humanize.Bytes(most.Bytes), most.Entries, said),
		Hint: "Write less, delete files when they are not needed any more, or compute it in SQL. " + diskKey + " of the config sets the limit.",
		Details: map[string]any{"used_bytes": e.used.Bytes, "used_files": e.used.Entries, "limit_bytes": most.Bytes, "limit_files": most.Entries,
			"removed_files": removed.Entries, "kept_files": left.Entries}}
}

// diskKey is the key of the config with the limit.
const diskKey = "agent.python_disk_mb"
