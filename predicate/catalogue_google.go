package predicate

// googleDateRows are the functions on dates in the shape that GoogleSQL gives
// them.
var googleDateRows = []row{
	{id: "date_plus", sig: "date, int -> date", parts: dateUnits, goog: "DATE_ADD => DATE_ADD($1, INTERVAL $2 $P)", duck: "=> CAST(($1 + (INTERVAL ($2) $P)) AS DATE)"},
	{id: "date_minus", sig: "date, int -> date", parts: dateUnits, goog: "DATE_SUB => DATE_SUB($1, INTERVAL $2 $P)", duck: "=> CAST(($1 - (INTERVAL ($2) $P)) AS DATE)"},
}
