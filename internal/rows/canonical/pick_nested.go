package canonical

import (
	"errors"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// pickChildren makes an array of n rows with the rows of each child that rows
// returns.
func pickChildren(d arrow.ArrayData, buffers []*memory.Buffer, n, null int, rows func(child int) []int) (arrow.ArrayData, error) {
	fields := storage(d.DataType()).(arrow.NestedType).Fields()
	children := make([]arrow.ArrayData, 0, len(fields))
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for i, c := range d.Children() {
		picked, err := pick(c, rows(i), fields[i].Nullable)
		if err != nil {
			return nil, err
		}
		children = append(children, picked)
	}
	return array.NewData(d.DataType(), n, buffers, children, null, 0), nil
}

// shifted returns rows of an array as rows of its children, which the array's
// offset does not apply to.
func shifted(rows []int, offset int) []int {
	if offset == 0 {
		return rows
	}
	to := make([]int, len(rows))
	for i, r := range rows {
		to[i] = r
		if r != nowhere {
			to[i] += offset
		}
	}
	return to
}

// elements returns the elements of lists that all have size of them.
func elements(d arrow.ArrayData, rows []int, size int) []int {
	all := make([]int, 0, len(rows)*size)
	for _, r := range rows {
		for k := range size {
			if r == nowhere {
				all = append(all, nowhere)
			} else {
				all = append(all, (d.Offset()+r)*size+k)
			}
		}
	}
	return all
}

func pickLists[T int32 | int64](d arrow.ArrayData, buffers []*memory.Buffer, rows []int, null int) (arrow.ArrayData, error) {
	offsets := valuesOf[T](bytesOf(d, 1))
	raw := make([]byte, (len(rows)+1)*int(unsafe.Sizeof(T(0))))
	ends := valuesOf[T](raw)
	var all []int
	for i, r := range rows {
		if r != nowhere {
			for e := offsets[d.Offset()+r]; e < offsets[d.Offset()+r+1]; e++ {
				all = append(all, int(e))
			}
		}
		ends[i+1] = T(len(all))
	}
	buffers = append(buffers, memory.NewBufferBytes(raw))
	return pickChildren(d, buffers, len(rows), null, func(int) []int { return all })
}

// pickUnion uses the first member for rows that are never read.
func pickUnion(d arrow.ArrayData, dt arrow.UnionType, rows []int) (arrow.ArrayData, error) {
	if len(dt.TypeCodes()) == 0 && len(rows) > 0 {
		return nil, errors.New("a union has no members")
	}
	codes := valuesOf[int8](bytesOf(d, 1))
	raw := make([]byte, len(rows))
	ids := dt.ChildIDs()
	members := make([][]int, len(d.Children())) // the rows of each
	dense := dt.Mode() == arrow.DenseMode
	var from, to []int32
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(raw)}
	if dense {
		from = valuesOf[int32](bytesOf(d, 2))
		where := make([]byte, 4*len(rows))
		to = valuesOf[int32](where)
		buffers = append(buffers, memory.NewBufferBytes(where))
	}
	for i, r := range rows {
		code, at := dt.TypeCodes()[0], nowhere
		if r != nowhere {
			code, at = codes[d.Offset()+r], d.Offset()+r
		}
		raw[i] = byte(code)
		own := ids[code]
		if dense {
			if r != nowhere {
				at = int(from[at])
			}
			to[i] = int32(len(members[own]))
			members[own] = append(members[own], at)
			continue
		}
		for m := range members {
			if m == own {
				members[m] = append(members[m], at)
			} else {
				members[m] = append(members[m], nowhere)
			}
		}
	}
	return pickChildren(d, buffers, len(rows), 0, func(m int) []int { return members[m] })
}

func pickDictionary(d arrow.ArrayData, buffers []*memory.Buffer, null int) (arrow.ArrayData, error) {
	dict := dictionary(d)
	if dict == nil {
		return nil, errors.New("a dictionary is missing")
	}
	own, err := column(dict)
	if err != nil {
		return nil, err
	}
	defer own.Release()
	n := buffers[1].Len() / storage(d.DataType()).(*arrow.DictionaryType).Bytes()
	return array.NewDataWithDictionary(d.DataType(), n, buffers, null, 0, own.(*array.Data)), nil
}
