package listed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/source/lake/mirror"
)

// objects are what one request sees of a root in a bucket. Those that it reads are
// brought onto this machine's disk, where they stay until it ends.
type objects struct {
	ctx    context.Context //nolint:containedctx // of the request
	at     string          // the root, as locations of tables begin
	bucket *bucket.Bucket
	mirror *mirror.Mirror
	lease  *mirror.Lease // nil: of no request, which only lists

	mu      sync.Mutex
	known   map[string]bucket.Object
	brought map[string]bool
}

// newBucketRoot is the root of tables in a bucket.
func newBucketRoot(o bucket.Options, dir string, size int64) (*Root, error) {
	b, err := bucket.Open(o)
	if err != nil {
		return nil, err
	}
	m, err := mirror.Open(b, path.Join(dir, mirror.Name(o)), size)
	if err != nil {
		return nil, err
	}
	r, err := NewRoot(m.Files())
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("open a bucket: %w", err)
	}
	r.objects = &objects{ctx: context.Background(), at: strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, "/"), bucket: b, mirror: m}
	return r, nil
}

// during is the root as a request reads it, which ends it.
func (r *Root) during(ctx context.Context) *Root {
	if r.objects == nil {
		return r
	}
	of := &objects{ctx: ctx, at: r.objects.at, bucket: r.objects.bucket, mirror: r.objects.mirror, lease: r.objects.mirror.Lease(),
		known: map[string]bucket.Object{}, brought: map[string]bool{}}
	return &Root{r.dir, r.root, of}
}

// Borrow has the request read objects of the bucket with keys that a catalog lends.
func (r *Root) Borrow(keys []bucket.Lent, again func(context.Context) ([]bucket.Lent, error)) (err error) {
	if r.objects != nil {
		r.objects.ctx, err = r.objects.bucket.Borrow(r.objects.ctx, keys, again)
	}
	return err
}

// end lets what a request has brought make room.
func (r *Root) end() {
	if r.objects != nil {
		r.objects.lease.Release()
	}
}

// Bring makes files ready to be opened, several at a time.
func (r *Root) Bring(files []string) error {
	if r.objects == nil {
		return nil
	}
	return r.objects.bring(files)
}

// Bring makes data files ready to be linked.
func Bring(r *Request, files []File) error {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return r.Root.Bring(paths)
}

// errEnough ends a listing.
var errEnough = errors.New("enough is listed")

// first finds the first object whose key begins with a prefix.
func (o *objects) first(prefix string) (found bucket.Object, err error) {
	err = o.mirror.List(o.ctx, prefix, func(b bucket.Object) error {
		found = b
		return errEnough
	})
	if err == nil {
		err = fs.ErrNotExist
	} else if errors.Is(err, errEnough) {
		err = nil
	}
	return found, err
}

// find describes a file.
func (o *objects) find(file string) (bucket.Object, error) {
	o.mu.Lock()
	b, ok := o.known[file]
	o.mu.Unlock()
	if ok {
		return b, nil
	}
	b, err := o.first(file)
	if err == nil && b.Key != file {
		err = fs.ErrNotExist
	}
	if err != nil {
		return b, Unopened(file, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known != nil {
		o.known[file] = b
	}
	return b, nil
}

// findings is how many files are looked for at a time.
const findings = 8

func (o *objects) bring(files []string) error {
	found := make([]bucket.Object, len(files))
	group := errgroup.Group{}
	group.SetLimit(findings)
	for i, file := range files {
		group.Go(func() (err error) {
			found[i], err = o.find(file)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var missing []bucket.Object
	for _, b := range found {
		if !o.brought[b.Key] {
			missing = append(missing, b)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := o.lease.Bring(o.ctx, missing, true); err != nil {
		return err
	}
	for _, b := range missing {
		o.brought[b.Key] = true
	}
	return nil
}

// place brings a file, and returns its path below the mirror's folder.
func (o *objects) place(file string) (string, error) {
	if err := o.bring([]string{file}); err != nil {
		return "", err
	}
	b, err := o.find(file)
	return mirror.Place(b), err
}

// list lists what lies in a folder, without those below it.
func (o *objects) list(folder string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	err := o.mirror.List(o.ctx, folder+"/", func(b bucket.Object) error {
		if name := strings.TrimPrefix(b.Key, folder+"/"); !strings.Contains(name, "/") {
			entries = append(entries, fs.FileInfoToDirEntry(objectInfo{b}))
		}
		return nil
	})
	if err == nil && len(entries) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, Unopened(folder, err)
	}
	return entries, nil
}

// objectInfo implements fs.FileInfo.
type objectInfo struct{ bucket.Object }

// Name is the last part of the key.
func (i objectInfo) Name() string { return path.Base(i.Key) }

// Size is that of the object.
func (i objectInfo) Size() int64 { return i.Object.Size }

// Mode is that of a file.
func (objectInfo) Mode() fs.FileMode { return 0o400 }

// ModTime is when the object was written.
func (i objectInfo) ModTime() time.Time { return i.Modified }

// IsDir is false.
func (objectInfo) IsDir() bool { return false }

// Sys has the version of the content.
func (i objectInfo) Sys() any { return i.ETag }
