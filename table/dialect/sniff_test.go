package dialect

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func (r Result) short() string {
	s := fmt.Sprintf("%q %s %d", r.Delimiter, string(r.Quote), r.Columns)
	if r.Quote == 0 {
		s = fmt.Sprintf("%q - %d", r.Delimiter, r.Columns)
	}
	if r.Escape != 0 {
		s += " escape"
	}
	if r.Comment != "" {
		s += " comment " + r.Comment
	}
	if r.TrimSpace {
		s += " trim"
	}
	if !r.Header {
		s += " headless"
	}
	if r.Skip > 0 {
		s += fmt.Sprintf(" skip %d", r.Skip)
	}
	return s
}

// sniffed is Sniff of a whole file, which has no error.
func sniffed(t *testing.T, text string, o Options) Result {
	t.Helper()
	r, err := Sniff(context.Background(), []byte(text), true, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSniff(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a,b,c\n1,2,3\n4,5,6\n", `"," " 3`},
		{"id;price\n1;1,5\n2;2,5\n3;3,25\n", `";" " 2`},
		{"id\tname\n1\tHello, world\n2\tBye, all\n", `"\t" " 2`},
		{"a|b\n1|2\n3|4\n", `"|" " 2`},
		{"1,2,3\n4,5,6\n", `"," " 3 headless`},
		{"Alice,Prague\nBob,Brno\nCarol,Prague\n", `"," " 2 headless`},
		{"name,city\nAlice,Prague\nBob,Brno\nCarol,Prague\n", `"," " 2`},
		{"field1,field2\nhello1,hello2\nhello3,hello4\n", `"," " 2`},
		{"a1,a2\nb1,b2\nc1,c2\n", `"," " 2 headless`},
		{"name\nAlice\nBob\n", `"" " 0`},
		{"duration\n00:00:60\n00:01:20\n99:59:59\n", `"" " 0`},
		{"ip\nfe80::1\n2001:db8::2\n", `"" " 0`},
		{"ratio\n1:2\n3:4\n", `"" " 0`},
		{"tags\na;b\nc;d\ne;f\n", `"" " 0`},
		{"url\nhttp://x.y/z?a=b|c\nhttp://x.y/q?a=b|d\n", `"" " 0`},
		{"note\nhello, world\nbye, moon\n", `"" " 0`},
		{"2024-01-01,INFO,started\n2024-01-02,WARN,slow,7\n2024-01-03,INFO,stopped\n2024-01-04,WARN,slow,9\n2024-01-05,INFO,started\n2024-01-06,WARN,hot,8\n", `"," " 4 headless`},
		{"AD\t+4230+00131\tEurope/Andorra\nAE,OM\t+2518+05518\tAsia/Dubai\tCrozet\nAF\t+3431+06912\tAsia/Kabul\nAL\t+4120+01950\tEurope/Tirane\nAM\t+4011+04430\tAsia/Yerevan\nAQ\t-6617+11031\tAntarctica/Casey\tCasey\nAR\t-3436-05827\tAmerica/Argentina\tBuenos Aires\nAS,UM\t-1416-17042\tPacific/Pago_Pago\tMidway\nAT\t+4813+01620\tEurope/Vienna\nAU\t-3133+15905\tAustralia/Lord_Howe\tLord Howe\nAU\t-5430+15857\tAntarctica/Macquarie\tMacquarie\nAU\t-4253+14719\tAustralia/Hobart\tTasmania\nAU\t-3749+14458\tAustralia/Melbourne\tVictoria\nAU\t-3352+15113\tAustralia/Sydney\tNew South Wales\n", `"\t" " 4 headless`},
		{"id,name,qty,city\nAnn,x,36,Brno\nBob,y,17\nCy,z,46\nDan,w,97\nEve,v,37\n", `"," " 3`},
		{"id,name,qty,city,price,note\n2024-01-01,a,23,x\n2024-01-02,b,60,y\n2024-01-03,c,61,z,1\n2024-01-04,d,28,x,2\n2024-01-05,e,62,y,3\n2024-01-06,f,27,z,4\n2024-01-07,g,51,x\n2024-01-08,h,96,y\n2024-01-09,i,96,y\n2024-01-10,j,98,z\n", `"," " 6`},
		{"1,a\n2,b,96,c,d\n3,e,37\n4,f,33\n5,g,10\n6,h,91\n7,i\n8,j\n9,k,93\n", `"," " 3 headless`},
		{"Sales\nmonth;value\nJan;3\nFeb;4\n", `";" " 2 skip 1`},
		{"Report for 2024\nCreated by: me\n\nid,name,amount\n1,a,2.5\n2,b,3.5\n", `"," " 3 skip 3`},
		{"# made by x\n# on a day, in May\nid,name\n1,a\n2,b\n", `"," " 2 comment # skip 2`},
		{"#id,name\n1,a\n2,b\n", `"," " 2`},
		{"sep=;\na;b\n1;2\n", `";" " 2 skip 1`},
		{"a, b, c\n1, 2, 3\n4, 5, 6\n", `"," " 3 trim`},
		{"'a;1';2\n'x';3\n'z';4\n", `";" ' 2 headless`},
		{"id,text\n1,\"a \\\"quoted\\\" word\"\n2,\"another \\\"one\\\", too\"\n", `"," " 2 escape`},
		{"a::b::c\n1::2::3\n4::5::6\n", `"::" " 3`},
		{"country,2019,2020,2021\nCZ,1.5,2.5,3.5\nSK,2.5,3.5,4.5\n", `"," " 4`},
	} {
		if got := sniffed(t, c.text, Options{}).short(); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestNamesAndPreamble(t *testing.T) {
	r := sniffed(t, "My title\n\n\"speed\" \"dist\"\n\"1\" 4 2\n\"2\" 4 10\n\"3\" 7 4\n", Options{})
	if fmt.Sprintf("%q %q", r.Names, r.Preamble) != `["" "speed" "dist"] ["My title"]` {
		t.Errorf("%s: names %q, preamble %q", r.short(), r.Names, r.Preamble)
	}
	no := false
	if r := sniffed(t, "a,b\n1,2\n", Options{Header: &no}); r.Header || r.Names != nil {
		t.Errorf("%+v", r)
	}
}

// TestProseAboveAnAlignedList: most of a text is never passed over as if it were a title.
func TestProseAboveAnAlignedList(t *testing.T) {
	prose := strings.Repeat("It goes on and on, as one sees:\nthere are many lines that are\nnot aligned in any way.\n\n", 12)
	list := "    a  an aligned list\n    bb of a few lines\n    c  that is short\n    dd and has gaps\n    e  in all of its\n    ff lines\n"
	if r := sniffed(t, prose+list, Options{}); r.Before > maxTitles {
		t.Errorf("%s: %d lines passed over", r.short(), r.Before)
	}
	if r := sniffed(t, "A list of a few things, with a title\n\n"+list, Options{}); r.Before != 1 || len(r.Cuts) != 2 {
		t.Errorf("%s: columns at %v, %d lines passed over", r.short(), r.Cuts, r.Before)
	}
}

// TestAMillionWordsInALine holds that looking for columns takes each word of a line
// once: with the words before it again, these lines took minutes.
func TestAMillionWordsInALine(t *testing.T) {
	words := strings.Repeat("a ", 1_000_000) + "\n"
	for name, text := range map[string]string{"one line": "a,b\n1,2\n" + words, "among short ones": "a,b\n1,2\n" + words + strings.Repeat("b\n", 300_000)} {
		if r := sniffed(t, text, Options{}); r.Delimiter != "," {
			t.Errorf("%s: %s", name, r.short())
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add("a,b\n1,\"2\n")
	f.Add("sep=;\n#x\n'a';b\\;c\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := sniffed(t, text, Options{})
		if r.Line < 1 || r.Confidence < 0 || r.Confidence > 1 {
			t.Errorf("%+v", r)
		}
		if again := sniffed(t, text, Options{}); fmt.Sprint(again) != fmt.Sprint(r) {
			t.Errorf("two answers: %+v, %+v", r, again)
		}
	})
}

// TestBlanksThatQuotesProve: texts with blanks and without quotes make records long, and
// names, dates and quoted texts with blanks still say what delimits them.
func TestBlanksThatQuotesProve(t *testing.T) {
	var b strings.Builder
	b.WriteString("DATE Qty Kind \"Description\" \"URL\"\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%02d/01/2018 %d %s \"made for walks in the rain\" \"https://www.example.com/product/%d.html\"\n", i%28+1, i, []string{"Boots", "Rain Boots", "High Rain Boots"}[i%3], i)
	}
	got, err := Sniff(t.Context(), []byte(b.String()), true, Options{})
	if err != nil || got.Delimiter != " " || strings.Join(got.Names, "|") != "DATE|Qty|Kind|Description|URL" {
		t.Errorf("%q, %q, %v", got.Delimiter, got.Names, err)
	}
}

// TestValuesThatReturnBehindBlanks are no names: between them are only empty lines.
func TestValuesThatReturnBehindBlanks(t *testing.T) {
	for text, want := range map[string]bool{"1\n\n1": false, "1\n\n1\n\n1\n": false, "2024-01-01\n\n2024-01-01\n": false, "n\n\n1\n\n2\n": true} {
		if got, err := Sniff(t.Context(), []byte(text), true, Options{}); err != nil || got.Header != want {
			t.Errorf("%q: header %v, %v", text, got.Header, err)
		}
	}
}
