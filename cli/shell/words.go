package shell

import (
	"strings"
	"sync"
)

// keywords are the words of SQL that are coloured and completed. Those of the
// engine are many more; these are the ones that people write.
var keywords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		ALL AND ANTI ANY AS ASC ASOF AT BETWEEN BY CASE CAST COLUMNS CREATE CROSS CUBE CURRENT_DATE CURRENT_TIMESTAMP
		DESC DESCRIBE DISTINCT ELSE END EXCEPT EXCLUDE EXISTS FALSE FILTER FIRST FOLLOWING FROM FULL GROUP GROUPING
		HAVING ILIKE IN INNER INTERSECT INTERVAL INTO IS JOIN LAST LATERAL LEFT LIKE LIMIT NATURAL NOT NULL NULLS
		OFFSET ON OR ORDER OUTER OVER PARTITION PIVOT POSITIONAL PRECEDING QUALIFY RANGE RECURSIVE REPLACE RIGHT
		ROLLUP ROW ROWS SAMPLE SELECT SEMI SETS SIMILAR SUMMARIZE TABLE TABLESAMPLE TEMP THEN TO TRUE TRY_CAST
		UNBOUNDED UNION UNNEST UNPIVOT USING VALUES VIEW WHEN WHERE WINDOW WITH WITHIN`) {
		words[word] = true
	}
	return words
})

func isKeyword(word string) bool { return keywords()[strings.ToUpper(word)] }
