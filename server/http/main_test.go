package httpapi

import (
	"testing"

	"github.com/agnes-data/da/internal/testing/instancetest"
)

// TestMain makes the test binary what runs statements.
func TestMain(m *testing.M) { instancetest.Main(m) }
