//go:build tools

// Package counterparts names the programs that go.mod pins.
package counterparts

import _ "github.com/stripe/stripe-mock"
