package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// partial returns what an interrupted earlier fetch of the same scan has
// received. It starts from scratch if the request is Fresh or the source has
// changed since.
func (j *job) partial(claim *snapshot.Claim, est *api.Estimate) *snapshot.Partial {
	text, err := json.Marshal(j.Scan)
	if err != nil {
		return nil // cannot fail: only text and numbers
	}
	p := claim.Partial(fmt.Sprintf("%x", xxh3.HashString128(j.remote.Name+"\x00"+string(text)).Bytes()))
	changed := est != nil && est.Version != "" && est.Version != p.Version
	if p.Tag != "" && (j.Fresh || changed) {
		p.Drop()
	}
	return p
}

// begin starts the scan, or resumes it if part of the file is here already. The
// rows come as a file if the service offers files.
func (j *job) begin(ctx context.Context, part *snapshot.Partial) (*api.File, error) {
	if j.remote.Filer == nil {
		stream, err := j.remote.Scan(ctx, j.Scan)
		return &api.File{Stream: stream}, err
	}
	ask := api.FileRequest{Scan: j.Scan, Keep: true, OnCut: j.OnCut, OnQueue: j.OnQueue}
	if part != nil && part.Tag != "" {
		rest := ask
		rest.Tag, rest.From = part.Tag, part.Size
		file, err := j.remote.ScanFile(ctx, rest)
		if !restGone(err) {
			if err == nil && j.OnResume != nil {
				j.OnResume(part.Size)
			}
			return file, err
		}
		part.Drop() // the server no longer has it
	}
	return j.remote.ScanFile(ctx, ask)
}

// restGone reports whether the server no longer has the rest of a file.
func restGone(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Kind == api.KindChanged
}

// receivePart receives a file that its server keeps. What arrives survives this
// process, and what an earlier process has received is not sent again.
func (j *job) receivePart(ctx context.Context, file *api.File, part *snapshot.Partial, path string) error {
	if part == nil || file.Tag == "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return atomicfile.Explain("write the result", err)
		}
		defer f.Close()
		return j.receive(ctx, file, f)
	}
	if file.From == 0 {
		note := snapshot.PartialNote{Tag: file.Tag, Begun: j.a.Now()}
		if p := api.ProvenanceOf(file.Batches.Schema()); p != nil {
			note.Version = p.Version
		}
		if err := part.Begin(note); err != nil {
			return err
		}
	}
	f, err := part.Open()
	if err != nil {
		return atomicfile.Explain("write the result", err)
	}
	defer f.Close()
	if err := j.receive(ctx, file, f); err != nil {
		return err
	}
	return part.Finish()
}

// leave decides what happens to a part after an error. If the connection was
// lost, the part stays for the next fetch, and the error says so.
func leave(part *snapshot.Partial, err error) error {
	if part == nil || part.Tag == "" {
		return err
	}
	if !api.ConnectionLost(err) {
		part.Drop()
		return err
	}
	var lost *api.Error
	size := part.Arrived()
	if size == 0 || !errors.As(err, &lost) {
		return err
	}
	told := *lost
	told.Hint = fmt.Sprintf("Nothing was installed. %s have arrived: the same fetch goes on from there, for as long as the server keeps the rest (%s).", humanize.Bytes(size), humanize.Duration(api.FileKeptFor))
	return &told
}
