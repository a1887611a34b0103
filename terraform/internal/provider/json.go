package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"sort"
	"strconv"
	"strings"
)

// canonical returns a JSON text with sorted members, no spacing, and each number in one form. Numbers keep all their digits: they
// are never converted.
func canonical(text []byte) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("there is more text after the value")
	}
	var out strings.Builder
	write(&out, value)
	return out.String(), nil
}

func write(out *strings.Builder, value any) {
	switch value := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Strings(names)
		separator := "{"
		for _, name := range names {
			out.WriteString(separator)
			write(out, name)
			out.WriteByte(':')
			write(out, value[name])
			separator = ","
		}
		if len(names) == 0 {
			out.WriteByte('{')
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, item := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			write(out, item)
		}
		out.WriteByte(']')
	case json.Number:
		out.WriteString(decimal(value.String()))
	default:
		// A text, true, false or null. It is always valid.
		text, _ := json.Marshal(value)
		out.Write(text)
	}
}

// decimal returns a JSON number as its digits and exponent, so that 1, 1.0 and 10e-1 are the same, and 1e400 and -0 stay what
// they are. The time does not depend on the size of the exponent.
func decimal(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	mantissa, exponent := text, "0"
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		mantissa, exponent = text[:at], text[at+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return sign + "0"
	}
	short := strings.TrimRight(digits, "0")
	shift, ok := addToExponent(exponent, len(digits)-len(short)-len(fraction))
	if !ok {
		return sign + text
	}
	return sign + short + "e" + shift
}

func addToExponent(exponent string, shift int) (string, bool) {
	value, err := strconv.ParseInt(exponent, 10, 32)
	return strconv.FormatInt(value+int64(shift), 10), err == nil
}

// same is true for two JSON texts with the same value.
func same(a, b string) bool {
	if a == b {
		return true
	}
	one, errOne := canonical([]byte(a))
	other, errOther := canonical([]byte(b))
	return errOne == nil && errOther == nil && one == other
}

// digest returns a short digest of a JSON value. It is stored in the state, which must not show more than the API does.
func digest(text []byte) string {
	value, err := canonical(text)
	if err != nil {
		value = string(text)
	}
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:12])
}

func isNull(text json.RawMessage) bool {
	return len(text) == 0 || string(bytes.TrimSpace(text)) == "null"
}
