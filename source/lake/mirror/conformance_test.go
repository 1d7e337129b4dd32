package mirror

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/testing/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{
		Open: func(home string, step func(string)) (storetest.Store, error) {
			objects := folder(home + ".bucket")
			m, err := Open(objects, home, 0)
			if err != nil {
				return nil, err
			}
			m.step = step
			return &texts{m, objects}, nil
		},
		// What has changed since it was listed is listed again.
		Busy:    func(err error) bool { return errors.Is(err, fs.ErrNotExist) },
		Derived: true,
	})
}

// folder stands for a bucket that processes share: each content of an object is
// a folder of pieces, and the object's file says which counts.
type folder string

const piece = 32 << 10 // below the limit on files of a full disk

func (f folder) contents(name, etag string) string { return filepath.Join(string(f), name+"@"+etag) }

func (f folder) put(name, text string) error {
	sum := xxh3.Hash128([]byte(text)).Bytes()
	etag := hex.EncodeToString(sum[:])
	dir := f.contents(name, etag)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for from := 0; from < len(text); from += piece {
		part := text[from:min(from+piece, len(text))]
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(from)), []byte(part), 0o600); err != nil {
			return err
		}
	}
	temp, err := os.CreateTemp(string(f), "object")
	if err != nil {
		return err
	}
	_, err = temp.WriteString(etag + " " + strconv.Itoa(len(text)))
	return errors.Join(err, temp.Close(), os.Rename(temp.Name(), filepath.Join(string(f), name)))
}

func (f folder) get(name string) (o bucket.Object, err error) {
	said, err := os.ReadFile(filepath.Join(string(f), name))
	if err != nil {
		return o, err
	}
	etag, size, _ := strings.Cut(string(said), " ")
	o = bucket.Object{Key: name, ETag: etag}
	o.Size, err = strconv.ParseInt(size, 10, 64)
	return o, err
}

func (f folder) List(context.Context, string, func(bucket.Object) error) error { return nil }

func (f folder) Read(_ context.Context, o bucket.Object, from, n int64) (io.ReadCloser, error) {
	var b strings.Builder
	for at := int64(0); at < o.Size; at += piece {
		part, err := os.ReadFile(filepath.Join(f.contents(o.Key, o.ETag), strconv.FormatInt(at, 10)))
		if err != nil {
			return nil, err
		}
		b.Write(part)
	}
	return io.NopCloser(strings.NewReader(b.String()[from : from+n])), nil
}

// texts brings each text as an object.
type texts struct {
	m       *Mirror
	objects folder
}

func (x *texts) Put(name, text string) error {
	if err := x.objects.put(name, text); err != nil {
		return err
	}
	_, release, err := x.Hold(name)
	if err == nil {
		release()
	}
	return err
}

// Get reads what is there of the object as it is now.
func (x *texts) Get(name string) (string, error) {
	o, err := x.objects.get(name)
	if err != nil {
		return "", err
	}
	if !x.m.onDisk(o, true) {
		return "", fs.ErrNotExist
	}
	text, err := os.ReadFile(x.m.path(o))
	return string(text), err
}

func (x *texts) Hold(name string) (read func() (string, error), release func(), err error) {
	o, err := x.objects.get(name)
	if err != nil {
		return nil, nil, err
	}
	lease := x.m.Lease()
	if err := lease.Bring(context.Background(), []bucket.Object{o}, true); err != nil {
		lease.Release()
		return nil, nil, err
	}
	read = func() (string, error) {
		text, err := os.ReadFile(x.m.path(o))
		return string(text), err
	}
	return read, lease.Release, nil
}

// Drop removes the object, and makes room as if it were in the way.
func (x *texts) Drop(name string) error {
	if err := os.Remove(filepath.Join(string(x.objects), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return x.m.locked(context.Background(), func() error {
		pins, _, err := x.m.pinned()
		there, keptErr := x.m.versions()
		if err := errors.Join(err, keptErr); err != nil {
			return err
		}
		for _, k := range there {
			said, _ := os.ReadFile(x.m.mark(k.Name, true))
			if _, held := pins[k.Name]; !held && strings.Contains(string(said), `"key":"`+name+`"`) {
				err = errors.Join(err, x.m.evict(k.Name))
			}
		}
		return err
	})
}

func (x *texts) Sweep() error {
	x.m.trySweep()
	return nil
}
