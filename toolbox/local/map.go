package local

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableGetMapIn struct {
	boundedFileIn
	ChunkRows int64 `json:"chunk_rows,omitempty" jsonschema:"rows of a chunk; by default a tenth of the file, at least 500"`
}

type tableGetMapOut struct {
	table.Map
	ColumnsShown int  `json:"columns_shown" jsonschema:"columns in columns, of column_count"`
	Truncated    bool `json:"truncated" jsonschema:"columns or chunks are missing for lack of room"`
}

// chunksShown is the default number of chunks that a file is split into.
const chunksShown = 10

func tableGetMap() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "table_get_map", Title: "Map a local file", Needs: tool.NeedsFiles, Engine: true, ReadOnly: true, Long: true,
		About: "How a local table file is written: format, encoding, columns and their types, rows, and what was guessed or does not fit. Start here with any file.",
	}, func(ctx context.Context, c *tool.Call, in tableGetMapIn) (*tableGetMapOut, error) {
		src, limit, budget, err := in.parts()
		if err != nil {
			return nil, err
		}
		m, err := c.Files.Map(ctx, table.MapRequest{Source: src, ChunkRows: in.ChunkRows, Timeout: limit})
		if err != nil {
			return nil, err
		}
		if rows := max(table.DefaultChunkRows, (m.RowCount+chunksShown-1)/chunksShown); in.ChunkRows == 0 && rows > table.DefaultChunkRows {
			if m, err = c.Files.Map(ctx, table.MapRequest{Source: src, ChunkRows: rows, Timeout: limit}); err != nil {
				return nil, err
			}
		}
		for _, lines := range [][]string{m.Preamble, m.Footer} {
			for i := range lines {
				lines[i] = api.Clip(lines[i], tool.MaxDescription)
			}
		}
		m.Caveats = c.Worded(m.Caveats)
		return fitMap(m, budget)
	})
}

// fitMap drops chunks, then columns, until the map fits.
func fitMap(m *table.Map, budget int) (*tableGetMapOut, error) {
	part := func(columns, chunks int) *tableGetMapOut {
		out := &tableGetMapOut{Map: *m, ColumnsShown: columns, Truncated: columns < len(m.Columns) || chunks < len(m.Chunks)}
		out.Columns, out.Chunks = m.Columns[:columns], m.Chunks[:chunks]
		return out
	}
	chunks := len(m.Chunks)
	if size, err := tool.SizeOf(part(len(m.Columns), chunks)); err != nil || size > budget {
		chunks = min(chunks, chunksShown)
	}
	return tool.MostOf(len(m.Columns), budget, func(k int) *tableGetMapOut { return part(k, chunks) })
}
