package analyst

import (
	"testing"

	"github.com/agnes-data/da/server/instancetest"
)

// TestMain makes the test binary what runs statements at sources.
func TestMain(m *testing.M) { instancetest.Main(m) }
