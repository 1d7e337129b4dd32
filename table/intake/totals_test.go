package intake

import "testing"

// TestRowsOfTotals counts the rows that sum others, wherever their word stands, and
// not the brands and names that have such a word.
func TestRowsOfTotals(t *testing.T) {
	for _, c := range []struct {
		name, text string
		n, line    int64
	}{
		{"first column", "date,region,n\n2024-01-01,W,10\n2024-01-02,E,20\nTotal,,30\n", 1, 4},
		{"second column, empty first", "date,region,n\n2024-01-01,W,10\n2024-01-02,E,20\n,Total,30\n", 1, 4},
		{"a word of Finnish", "date,region,n\n2024-01-01,W,10\n2024-01-02,E,20\nYhteensä,,30\n", 1, 4},
		{"a word of French", "date,region,n\n2024-01-01,W,10\n2024-01-02,E,20\nEnsemble,,30\n", 1, 4},
		{"a word of German", "date,region,n\n2024-01-01,W,10\n2024-01-02,E,20\nZusammen,,30\n", 1, 4},
		{"a word of Japanese", "date,region,n\n2024-01-01,W,10\n2024-01-02,E,20\n計,,30\n", 1, 4},
		{"not the sum of the rows", "date,region,n\n2024-01-01,W,10\n2024-01-02,E,20\n,Total,31\n", 1, 4},
		{"below each group", "region,product,n\nW,a,10\nW,b,20\nW,Subtotal,30\nE,a,5\nE,b,6\nE,Subtotal,11\n", 2, 4},
		{"and a grand total", "region,product,n\nW,a,10\nW,b,20\nW,Subtotal,30\nE,a,5\nE,b,6\nE,Subtotal,11\nGrand Total,,41\n", 3, 4},
		{"a group of one row", "region,product,n\nW,a,10\nW,b,20\nW,Total,30\nE,a,5\nE,Total,5\n", 2, 4},
		{"three levels", "r,c,p,n\nA,x,a,1\nA,x,b,2\nA,x,Total,3\nA,y,a,4\nA,y,b,5\nA,y,Total,9\nA,Total,,12\n", 3, 4},
		{"a pivot table in the second column", "r,c,n\nA,x,1\nA,x,2\nA,x Total,3\nA,y,4\nA,y,5\nA,y Total,9\n", 2, 4},
		{"amounts", "d,r,a\n2024-01-01,W,\"$1,000.50\"\n2024-01-02,E,$20.25\n2024-01-03,Total,\"$1,020.75\"\n", 1, 4},
		{"groups of one row", "region,n\nWest,10\nWest Total,10\nEast,20\nEast Total,20\n", 2, 3},
		{"a blank that breaks no line", "region,n\nBevern,10\nGifhorn,20\nLand\u00a0gesamt,30\n", 1, 4},
		{"a shop that has the price of the row above", "shop,city,price\nCostco,Reno,12\nTotal Wine,Elko,12\n", 0, 0},
		{"small figures", "id,brand,share\n1,Shell,0.001\n2,BP,0.002\n3,Total,0.004\n", 0, 0},
		{"small figures that add up", "id,brand,share\n1,Shell,0.001\n2,BP,0.002\n3,Total,0.003\n", 1, 4},
		{"a brand", "id,brand,price\n1,Shell,10\n2,Total,12\n3,BP,11\n4,Total,13\n", 0, 0},
		{"a shop", "shop,city,price\nTotal Wine,Reno,10\nCostco,Reno,12\nTotal Wine,Elko,11\n", 0, 0},
		{"a brand that adds up once", "id,brand,price\n1,Shell,10\n2,BP,2\n3,Total,12\n4,Total,13\n5,Total,9\n", 0, 0},
		{"free text", "id,note,n\n1,Total loss,10\n2,paid in total,20\n3,total,5\n", 0, 0},
		{"above all rows", "id,what,n\n1,Total sales,30\n2,a,10\n3,b,20\n", 1, 2},
		{"above all rows, without a word", "place,men,women\nGermany,60,63\nBavaria,10,11\nHesse,20,21\nBremen,30,31\n", 1, 2},
		{"one more than all rows", "place,n\nGermany,601\nBavaria,100\nHesse,200\nBremen,300\n", 0, 0},
		{"small figures of a first row", "place,n\nA,6\nB,1\nC,2\nD,3\n", 0, 0},
		{"above each group", "region,city,n\nGermany,,60\nGermany,Berlin,10\nGermany,Bonn,50\nFrance,,150\nFrance,Paris,140\nFrance,Lyon,10\n", 2, 2},
		{"above each group, one of one row", "what,y,n\nRevenue,2024,60\n A,2024,10\n B,2024,50\nTax,2024,7.5\n", 0, 0},
		{"above three groups of small figures", "city,n\nA,30\na,10\nb,20\nB,10\nc,10\nC,50\nd,25\ne,25\nD,11\nf,10\ng,1\n", 4, 2},
		{"above two groups of small figures", "city,n\nA,60\na,10\nb,20\nc,30\nB,50\nd,40\ne,10\n", 2, 2},
		{"above two groups, maybe by chance", "city,n\nA,30\na,10\nb,20\nB,50\nc,25\nd,25\n", 0, 0},
		{"pairs of equal figures", "city,n\nA,300\nB,300\nC,200\nD,200\nE,500\nF,500\n", 0, 0},
		{"a group that lacks a row", "city,n\nA,300\na,100\nb,200\nB,500\nc,250\n", 0, 0},
		{"a brand without a city", "id,city,brand,n\n1,Reno,Shell,1\n2,,BP,2\n3,Elko,Total,4\n4,,Total,5\n", 0, 0},
	} {
		p, _ := read(t, write(t, "a.csv", []byte(c.text)), Options{})
		if p.Sums.N != c.n || p.Sums.Line != c.line {
			t.Errorf("%s: %+v", c.name, p.Sums)
		}
	}
}
