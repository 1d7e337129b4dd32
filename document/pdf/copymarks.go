package pdf

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// mark is a bookmark.
type mark struct {
	dict
	kids []*mark
}

// outline returns the bookmarks from one on that lead to chosen pages, or stand above
// one that does.
func (o *origin) outline(first any, seen map[ref]bool) (marks []*mark) {
	for at := first; ; {
		r, ok := at.(ref)
		d := o.dict(at)
		if !ok || d == nil || seen[r] || len(seen) > 1_000_000 {
			return marks
		}
		seen[r] = true
		m := &mark{dict: dict{}, kids: o.outline(d["/First"], seen)}
		for _, key := range []string{"/Title", "/C", "/F", "/Count"} {
			if v, has := d[key]; has {
				m.dict[key] = o.copy(v)
			}
		}
		a := o.dict(d["/A"])
		to := d["/Dest"]
		if to == nil && o.raw(a["/S"]) == "/GoTo" {
			to = a["/D"]
		}
		switch place := o.where(to); {
		case place != nil:
			m.dict["/Dest"] = o.copy(place)
		case to == nil && a != nil:
			m.dict["/A"] = o.copy(a)
		}
		if len(m.kids) > 0 || m.dict["/Dest"] != nil || m.dict["/A"] != nil {
			marks = append(marks, m)
		}
		at = d["/Next"]
	}
}

// putMarks writes bookmarks below parent, and returns what it has of them.
func (g *gathering) putMarks(marks []*mark, parent ref) dict {
	if len(marks) == 0 {
		return dict{}
	}
	var at []ref
	for range marks {
		at = append(at, g.out.next())
	}
	seen := len(marks)
	for i, m := range marks {
		closed := strings.HasPrefix(fmt.Sprint(m.dict["/Count"]), "-")
		delete(m.dict, "/Count")
		below := g.putMarks(m.kids, at[i])
		maps.Copy(m.dict, below)
		if n, err := strconv.Atoi(fmt.Sprint(below["/Count"])); err == nil && closed {
			m.dict["/Count"] = raw(strconv.Itoa(-n))
		} else if err == nil {
			seen += n
		}
		if i > 0 {
			m.dict["/Prev"] = at[i-1]
		}
		if i+1 < len(at) {
			m.dict["/Next"] = at[i+1]
		}
		m.dict["/Parent"] = parent
		g.out.put(at[i], m.dict)
	}
	return dict{"/First": at[0], "/Last": at[len(at)-1], "/Count": raw(strconv.Itoa(seen))}
}
