package core

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/server/spool"
)

// keptBytes limits the size of the files that are kept for clients that lost
// their connection.
const keptBytes = 2 << 30

// keptFiles limits their number, since each of them has a descriptor.
const keptFiles = 256

// startKeptFile starts writing a file that is kept until the client has it. It returns
// false if the file cannot be kept; it is then sent while it is written.
func (s *Session) startKeptFile(ctx, outer context.Context, m *making, req api.FileRequest, codec duckdb.Codec) (*api.File, bool) {
	key, err := s.keptKey(outer, req)
	if err != nil || key == "" {
		return nil, false
	}
	to, err := s.core.spool.Make(key, m, func() { close(m.gone); m.stop() })
	if err != nil {
		s.core.log.Warn("a result is not kept for a client that loses its connection", "error", err)
		return nil, false
	}
	f, err := keptFile(to, 0) // first: without a reader, writing fails where there is no room
	m.start(ctx, to, codec)
	s.core.shared.keep(to, m, s.keptPrefix())
	return f, err == nil
}

// aside starts writing a file that stays on disk until this request has sent it, so
// that a slow client does not occupy the memory of the engine that writes it. It
// returns false if that is not possible.
func (s *Session) aside(ctx context.Context, m *making, codec duckdb.Codec) (*api.File, bool) {
	to, err := s.core.spool.Make("", m, m.stop)
	if err != nil {
		s.core.log.Warn("a result holds memory for as long as its client reads it", "error", err)
		return nil, false
	}
	data, err := to.OpenAt(0) // as in kept
	m.start(ctx, to, codec)
	return m.file(data, func() { to.Drop(); m.stop() }), err == nil
}

// keptFile returns a kept file from an offset on.
func keptFile(k *spool.File, from int64) (*api.File, error) {
	data, err := k.OpenAt(from)
	if err != nil {
		return nil, err
	}
	m := k.Value.(*making)
	f := m.file(data, func() { _ = data.Close() })
	f.Tag, f.From, f.Gone = k.Tag, from, m.gone
	return f, nil
}

// goOn returns the rest of a kept file. It checks rights again: only the same
// caller with the same rights and the same request gets it.
func (s *Session) goOn(ctx context.Context, req api.FileRequest) (*api.File, error) {
	r := s.begin(api.EventScan, req.Scan.TableID)
	key, err := s.keptKeyFor(ctx, req, r)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	if k := s.core.spool.Open(req.Tag, key); k != nil && key != "" {
		f, err := keptFile(k, req.From)
		if !errors.Is(err, spool.ErrGone) {
			return f, err
		}
	}
	if key != "" {
		if f, err := s.core.shared.find(ctx, req, key); f != nil || err != nil {
			return f, err
		}
	}
	return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindChanged, Message: "the rest of this result is not kept any more",
		Hint: "Nothing was installed; fetch it again."}
}

// ForgetFile implements api.Filer.
func (s *Session) ForgetFile(ctx context.Context, tag string) error {
	if k := s.core.spool.Find(tag); k == nil {
		s.core.shared.forget(ctx, tag, s.keptPrefix())
	} else if strings.HasPrefix(k.Key(), s.keptPrefix()) {
		k.Drop()
	}
	return nil
}

func (s *Session) keptKey(ctx context.Context, req api.FileRequest) (string, error) {
	return s.keptKeyFor(ctx, req, &record{core: s.core, who: s.who})
}

// keptKeyFor identifies the caller, the request, and the rights that apply to it
// now. It is empty if these can change from one moment to the next.
func (s *Session) keptKeyFor(ctx context.Context, req api.FileRequest, r *record) (string, error) {
	p, err := s.prepare(ctx, req.Scan, s.core.now().UTC(), r)
	if err != nil {
		return "", err
	}
	rights := s.core.rightsOf(p)
	text, err := json.Marshal(req.Scan)
	if err != nil || rights == "" {
		return "", err
	}
	return s.keptPrefix() + req.Codec + "\x00" + rights + "\x00" + string(text), nil
}

func (s *Session) keptPrefix() string { return s.who.User + "\x00" }
