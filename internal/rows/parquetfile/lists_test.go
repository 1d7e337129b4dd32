package parquetfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/agnes-data/da/internal/rows/parquetfile"
)

// listed writes a column of lists of numbers, and one of numbers, in two row groups;
// the last has the repetition levels given.
func listed(t *testing.T, version parquet.DataPageVersion, codec compress.Compression, dictionary bool, last ...int16) []byte {
	t.Helper()
	element := schema.NewInt64Node("element", parquet.Repetitions.Optional, -1)
	inner, err := schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{element}, -1)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schema.NewGroupNodeLogical("x", parquet.Repetitions.Optional, schema.FieldList{inner}, schema.ListLogicalType{}, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{list, schema.NewInt64Node("n", parquet.Repetitions.Required, -1)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(
		parquet.WithDataPageVersion(version), parquet.WithCompression(codec), parquet.WithDictionaryDefault(dictionary))))
	for _, levels := range [][]int16{{0, 1, 0, 1}, last} {
		g, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		values, defined, rows := []int64{}, []int16{}, []int64{}
		for i, l := range levels {
			values, defined = append(values, int64(i)), append(defined, 3)
			if l == 0 {
				rows = append(rows, int64(i))
			}
		}
		for _, column := range []func(*file.Int64ColumnChunkWriter) error{
			func(c *file.Int64ColumnChunkWriter) error {
				_, err := c.WriteBatch(values, defined, levels)
				return err
			},
			func(c *file.Int64ColumnChunkWriter) error {
				_, err := c.WriteBatch(rows, nil, nil)
				return err
			},
		} {
			c, err := g.NextColumn()
			if err == nil {
				err = column(c.(*file.Int64ColumnChunkWriter)) //nolint:forcetypeassert // by the schema
			}
			if err == nil {
				err = c.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestListsBeginRows: the engine drops what a list has before the first row.
func TestListsBeginRows(t *testing.T) {
	check := func(file []byte) error { return parquetfile.CheckLists(bytes.NewReader(file), int64(len(file))) }
	long := make([]int16, 5000) // levels of both kinds of runs
	for i := range 100 {
		long[i*3] = 1
	}
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw} {
		for _, dictionary := range []bool{false, true} {
			t.Run(fmt.Sprint(codec, dictionary), func(t *testing.T) {
				for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
					for _, sound := range [][]int16{{0}, {0, 0, 1}, append([]int16{0}, long[1:]...)} {
						if err := check(listed(t, version, codec, dictionary, sound...)); err != nil {
							t.Errorf("%.3v: %v", sound, err)
						}
					}
				}
				for _, wrong := range [][]int16{{1}, {1, 0, 1}, {1, 1}, long} {
					if err := check(listed(t, parquet.DataPageV1, codec, dictionary, wrong...)); !errors.Is(err, parquetfile.ErrLists) {
						t.Errorf("%.3v: %v", wrong, err)
					}
				}
				// The writer itself refuses such a page: a run of eight levels is changed,
				// and then made of none.
				sound := listed(t, parquet.DataPageV2, codec, dictionary, 0, 0, 1, 1, 0, 1, 0, 1)
				for _, wrong := range [][]byte{{3, 0xad, 16}, {1, 0xac, 16}} {
					if err := check(bytes.Replace(sound, []byte{3, 0xac, 16}, wrong, 1)); !errors.Is(err, parquetfile.ErrLists) {
						t.Errorf("%v: %v", wrong, err)
					}
				}
			})
		}
	}
}
