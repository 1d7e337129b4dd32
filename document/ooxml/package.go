package ooxml

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/compound"
)

const (
	maxEntries = 20_000
	// maxPart is the maximum uncompressed size of one part, maxRead that of all
	// parts.
	maxPart = 64 << 20
	maxRead = 256 << 20
	// level is how hard parts are compressed, of 1 to 9. Next to 3 it takes two
	// thirds of the time, and sheets become 1 % larger.
	level = 2
)

// Package is an open package and the changes to it. It is safe for one goroutine.
type Package struct {
	zip     *zip.Reader
	entries map[string]*zip.File // by key
	changed map[string]*change   // by key
	added   []string             // keys, in the order in which they came
	read    int64
	types   *contentTypes
	rels    map[string]*relations // by the name of the part that they are of
	trees   map[string]*Tree      // by key
	touched []string              // parts whose trees have been changed
	last    map[string]bool       // parts that are written behind the others, by key
}

// change is the new content of a part. Exactly one of its fields is set.
type change struct {
	name    string
	data    []byte
	rewrite func(r io.Reader, w io.Writer) error
	removed bool
}

// key is how parts are compared: their names know no case.
func key(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, "\\", "/"), "/"))
}

// Open reads the directory of a package. r must stay open as long as the package
// is used.
func Open(r io.ReaderAt, size int64) (*Package, error) {
	if err := older(r); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			return nil, WrongFormat("this is not a document of an office program, or its end is missing")
		}
		return nil, Damaged("", "the archive cannot be read: %v", err)
	}
	if len(z.File) > maxEntries {
		return nil, TooLarge("", "the archive has %d entries, over %d", len(z.File), maxEntries)
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	p := &Package{zip: z, entries: map[string]*zip.File{}, changed: map[string]*change{}, rels: map[string]*relations{},
		trees: map[string]*Tree{}, last: map[string]bool{}}
	for _, f := range z.File {
		k := key(f.Name)
		if p.entries[k] != nil && !strings.HasSuffix(k, "/") {
			return nil, Damaged(f.Name, "the archive holds this part twice")
		}
		p.entries[k] = f
	}
	if p.types, err = p.readTypes(); err != nil {
		return nil, err
	}
	return p, nil
}

// older refuses files of the format before zip archives, in which encrypted
// packages are wrapped too.
func older(r io.ReaderAt) error {
	head := make([]byte, len(compound.Magic))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return Damaged("", "the file cannot be read: %v", err)
	}
	if string(head) != compound.Magic {
		return nil
	}
	e := WrongFormat("this is a file of the format that office programs wrote before 2007")
	e.Hint = "Save it as .docx, .pptx or .xlsx."
	if kind, err := compound.Detect(r); err == nil && kind == compound.Encrypted {
		e.Kind, e.Message, e.Hint = api.KindEncrypted, "the file is encrypted with a password", "Save it without a password."
	}
	return e
}

// Has reports whether the package has the part.
func (p *Package) Has(name string) bool {
	k := key(name)
	if c := p.changed[k]; c != nil {
		return !c.removed
	}
	return p.entries[k] != nil
}

// Added reports whether a part is in no archive yet.
func (p *Package) Added(name string) bool { return p.entries[key(name)] == nil && p.Has(name) }

// Parts lists the names of all parts, in the order of the archive.
func (p *Package) Parts() []string {
	var names []string
	for _, f := range p.zip.File {
		if p.Has(f.Name) && !strings.HasSuffix(f.Name, "/") {
			names = append(names, strings.TrimPrefix(strings.ReplaceAll(f.Name, "\\", "/"), "/"))
		}
	}
	for _, k := range p.added {
		if p.Has(k) {
			names = append(names, p.changed[k].name)
		}
	}
	return names
}

// Read unpacks a part, as it was last set. The caller must not change the bytes.
func (p *Package) Read(name string) ([]byte, error) {
	r, err := p.Stream(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxPart+1))
	switch {
	case err != nil:
		return nil, Damaged(name, "it cannot be unpacked: %v", err)
	case len(data) > maxPart:
		return nil, TooLarge(name, "it unpacks to more than 64 MB")
	}
	if p.read += int64(len(data)); p.read > maxRead {
		return nil, TooLarge("", "the parts unpack to more than 256 MB")
	}
	return data, nil
}

// Stream opens a part in its current state. The caller limits how much is read,
// and closes it.
func (p *Package) Stream(name string) (io.ReadCloser, error) {
	if c := p.changed[key(name)]; c != nil && c.data != nil {
		return io.NopCloser(bytes.NewReader(c.data)), nil
	}
	f := p.entries[key(name)]
	if f == nil || !p.Has(name) {
		return nil, Damaged(name, "this part is missing")
	}
	r, err := f.Open()
	if err != nil {
		return nil, Damaged(name, "it cannot be unpacked: %v", err)
	}
	return r, nil
}

// Size returns how many bytes a part unpacks to, by the archive's own account.
func (p *Package) Size(name string) int64 {
	if f := p.entries[key(name)]; f != nil {
		return int64(f.UncompressedSize64) //nolint:gosec // a figure to choose a way by
	}
	return 0
}

// Set sets the content of a part, or creates it. A new part also needs a content
// type (SetType).
func (p *Package) Set(name string, data []byte) { p.set(name, &change{name: name, data: data}) }

// Rewrite has f compute the new content of a part from its current content when
// the package is written.
func (p *Package) Rewrite(name string, f func(r io.Reader, w io.Writer) error) {
	p.set(name, &change{name: name, rewrite: f})
}

// Last has a part written after the others, because its tree may change while
// other parts are rewritten.
func (p *Package) Last(name string) { p.last[key(name)] = true }

// Remove takes a part and its relationships out.
func (p *Package) Remove(name string) {
	p.set(name, &change{name: name, removed: true})
	p.types.remove(name)
	delete(p.rels, key(name))
	delete(p.trees, key(name))
	if rels := relationsName(name); p.Has(rels) {
		p.set(rels, &change{name: rels, removed: true})
	}
}

func (p *Package) set(name string, c *change) {
	k := key(name)
	if p.entries[k] == nil && !slices.Contains(p.added, k) {
		p.added = append(p.added, k)
	}
	p.changed[k] = c
}

// Free returns the first name, made of a number put between prefix and suffix,
// that no part has. Names of deleted parts are not given again: what is kept of
// such a part would be taken for that of the new one.
func (p *Package) Free(prefix, suffix string) string {
	for n := 1; ; n++ {
		name := prefix + itoa(n) + suffix
		if k := key(name); p.entries[k] == nil && p.changed[k] == nil {
			return name
		}
	}
}

// Signed reports whether the package is signed. A change breaks the signature.
func (p *Package) Signed() bool {
	for k := range p.entries {
		if strings.HasPrefix(k, "_xmlsignatures/") {
			return true
		}
	}
	return false
}

// Write writes the package with its changes. Parts keep their order, except for
// those that must be last; new parts follow.
func (p *Package) Write(w io.Writer) error {
	p.flush()
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, level) })
	if err := z.SetComment(p.zip.Comment); err != nil {
		return err
	}
	var last []*zip.File
	called := p.called()
	for _, f := range p.zip.File {
		if p.last[key(f.Name)] {
			last = append(last, f)
		} else if err := p.writeEntry(z, f, p.named(f, called)); err != nil {
			return err
		}
	}
	p.flush() // rewriting parts may have changed the last parts
	for _, f := range last {
		if err := p.writeEntry(z, f, p.named(f, called)); err != nil {
			return err
		}
	}
	for _, k := range p.added {
		if c := p.changed[k]; !c.removed {
			if err := writePart(z, &zip.FileHeader{Name: c.name, Method: zip.Deflate}, c.data); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// named is the name under which an entry is written: the one by which other parts refer to
// it, as far as they were read, and that of its part for relationships. Many readers know case.
func (p *Package) named(f *zip.File, called map[string]string) string {
	if strings.Contains(f.Name, `\`) {
		return f.Name
	}
	name := cmp.Or(called[key(f.Name)], f.Name)
	if owner, ok := relationsOwner(name); ok && p.entries[key(owner)] != nil {
		return relationsName(p.named(p.entries[key(owner)], called))
	}
	return name
}

func (p *Package) writeEntry(z *zip.Writer, f *zip.File, name string) error {
	c := p.changed[key(f.Name)]
	if c == nil && strings.HasSuffix(f.Name, "/") { // some programs pack folders, with the bytes of an empty stream
		_, err := z.CreateHeader(&zip.FileHeader{Name: f.Name, Modified: f.Modified, Comment: f.Comment, NonUTF8: f.NonUTF8})
		return err
	}
	if c == nil {
		as := *f
		as.Name = name
		return z.Copy(&as)
	}
	if c.removed {
		return nil
	}
	head := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: f.Modified, Comment: f.Comment, NonUTF8: f.NonUTF8}
	if c.rewrite == nil {
		return writePart(z, head, c.data)
	}
	r, err := f.Open()
	if err != nil {
		return Damaged(f.Name, "it cannot be unpacked: %v", err)
	}
	defer r.Close()
	out, err := z.CreateHeader(head)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, 128<<10)
	if err := c.rewrite(r, buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

func writePart(z *zip.Writer, head *zip.FileHeader, data []byte) error {
	out, err := z.CreateHeader(head)
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// resolve returns the name of the part that target, seen from part from, means. It
// never leads out of the package.
func resolve(from, target string) string {
	target, _, _ = strings.Cut(target, "#")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	if !strings.HasPrefix(target, "/") {
		target = path.Join("/", path.Dir(from), target)
	}
	return strings.TrimPrefix(path.Clean(target), "/")
}
