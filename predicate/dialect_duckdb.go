package predicate

// duckDB is DuckDB 1.5.
func duckDB() *traits {
	return &traits{
		name: DuckDB, title: "DuckDB", parsed: true,
		lexing: lexing{
			digitSeparators: true, unicodeNames: true, dollarNames: true,
			stringPrefixes: "e x b n u&", dollarStrings: true,
		},
		grammar: grammar{
			reserved: set(`all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default deferrable
				desc describe distinct do else end except false fetch for foreign from group having in initially intersect into lambda lateral leading
				limit not null offset on only or order pivot pivot_longer pivot_wider placing primary qualify references returning select show some
				summarize symmetric table then to trailing true union unique unpivot using variadic when where window with
				anti asof at authorization binary by collation columns concurrently cross freeze full generated glob ilike inner is isnull join left like
				map natural notnull outer overlaps positional right semi similar struct tablesample try_cast unpack verbose`),
			clockWords: set(`current_date current_timestamp current_time localtime localtimestamp`),
			typedLiterals: map[string]Type{
				"date": kindOf(KindDate), "time": kindOf(KindTime), "timestamp": kindOf(KindDateTime), "datetime": kindOf(KindDateTime),
				"timestamp_s": {Kind: KindDateTime, Bits: secondBits}, "timestamp_ms": {Kind: KindDateTime, Bits: milliBits},
				"timestamp_us": kindOf(KindDateTime), "timestamp_ns": {Kind: KindDateTime, Bits: nanoBits},
				"timestamptz": kindOf(KindTimestamp), "uuid": kindOf(KindUUID),
			},
			concatOperators: "|| ^@", productOperators: "* / // %", regexpOperators: "~ !~ ~* !~* ~~ !~~ ~~* !~~*",
			lackingOperators: map[string]string{
				"~*":  "Use regexp_matches(x, 'pattern', 'i').",
				"!~*": "Use regexp_matches(x, 'pattern', 'i').",
			},
			doubleEquals: true, castOperator: true, atTimeZone: true,
			postfixNull: true, isUnknown: true, ilike: true, escapeClause: true, anyList: true, betweenSymmetric: true,
			safeCast: "try_cast", keywordArguments: true, columnsStar: true, partsAsText: true, zonedTypes: true, listSuffix: true,
			intervalCount: countOperand, intervalText: true,
			operatorHints: map[string]string{"regexp": "Write regexp_matches(x, 'pattern').", "rlike": "Write regexp_matches(x, 'pattern')."},
			subscriptForm: "[n]", subscriptHint: "Write arr[1] for the first element.",
		},
		printing: printing{quoteIdent: doubleQuoted, nullsFirst: nullsLast},
	}
}
