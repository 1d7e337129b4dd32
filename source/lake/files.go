package lake

import (
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/source"
)

// file is one file of a relation.
type file struct {
	rel   string // its name: below the root, or the prefix, with forward slashes
	index int    // among the files of its table
	// place is its path below the lake's folder. For an object it starts with the
	// version of its content.
	place string
	size  int64
	mtime int64 // nanoseconds
	// changed and inode differ after a change that keeps size and mtime.
	changed int64
	inode   uint64
	etag    string // of an object; empty for a local file
	// hive holds the values of the relation's partition keys, as written.
	hive []string
}

// object is the bucket's object of the file.
func (f file) object() bucket.Object {
	return bucket.Object{Key: f.rel, Size: f.size, ETag: f.etag}
}

// fileSet is the set of files that a relation currently consists of.
type fileSet struct {
	files  []file // sorted by name, never empty
	format format.Format
	keys   []string // hive partition keys, outermost first
	types  []string // of the keys, the engine's
	// version changes when a file is added, removed, replaced or changed.
	version string
	bytes   int64
	reading *source.Reading // nil: detect it from the files
}

// newFileSet requires that all files have one format and the same partition keys.
func newFileSet(files []file) (*fileSet, error) {
	set := &fileSet{files: files}
	hash := xxh3.New()
	for i := range files {
		f := &files[i]
		f.index = i
		as, ok := formatOf(f.rel)
		if !ok {
			return nil, unknownFormat(f.rel)
		}
		keys, values := hiveParts(f.rel)
		if i == 0 {
			set.format, set.keys = as, keys
		}
		if as.Name != set.format.Name {
			return nil, mixed(files[0].rel, f.rel, "have different formats")
		}
		if !slices.Equal(keys, set.keys) {
			return nil, mixed(files[0].rel, f.rel, "lie in different kinds of partitions")
		}
		f.hive = values
		set.bytes += f.size
		_, _ = hash.WriteString(f.rel) // a hash never fails
		_, _ = hash.Write([]byte{0})
		for _, n := range []uint64{uint64(f.size), uint64(f.mtime), uint64(f.changed), f.inode} {
			_, _ = hash.Write(binary.LittleEndian.AppendUint64(nil, n))
		}
		_, _ = hash.WriteString(f.etag)
	}
	if key, twice := duplicate(set.keys); twice {
		return nil, badPath(files[0].rel, "partition key "+key+" is in it twice")
	}
	for i := range set.keys {
		values := make([]string, len(files))
		for j, f := range files {
			values[j] = f.hive[i]
		}
		set.types = append(set.types, keyType(values))
	}
	sum := hash.Sum128().Bytes()
	set.version = hex.EncodeToString(sum[:])
	return set, nil
}

func duplicate(keys []string) (string, bool) {
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			return k, true
		}
	}
	return "", false
}
