package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

// precision is that of numbers in configurations.
const precision = 512

// rawType returns the type of a member's values in plans and states.
func rawType(of contract.Type) tftypes.Type {
	switch of.Kind {
	case contract.Integer, contract.Number:
		return tftypes.Number
	case contract.Bool:
		return tftypes.Bool
	case contract.List:
		return tftypes.List{ElementType: rawType(*of.Of)}
	case contract.Map:
		return tftypes.Map{ElementType: rawType(*of.Of)}
	case contract.Object:
		types := make(map[string]tftypes.Type, len(of.Members))
		for _, member := range of.Members {
			types[member.Name] = rawType(member.Type)
		}
		return tftypes.Object{AttributeTypes: types}
	default:
		return tftypes.String
	}
}

// toJSON returns a known value as requests contain it. A text of JSON is sent as it is written. Members of an object without a
// value are left out.
func toJSON(of contract.Type, value tftypes.Value) (json.RawMessage, error) {
	if value.IsNull() {
		return json.RawMessage("null"), nil
	}
	switch of.Kind {
	case contract.Bool:
		var flag bool
		if err := value.As(&flag); err != nil {
			return nil, err
		}
		return json.Marshal(flag)
	case contract.Integer, contract.Number:
		number := new(big.Float)
		if err := value.As(&number); err != nil {
			return nil, err
		}
		return json.RawMessage(number.Text('g', -1)), nil
	case contract.List:
		var items []tftypes.Value
		if err := value.As(&items); err != nil {
			return nil, err
		}
		texts := make([]json.RawMessage, len(items))
		for i, item := range items {
			text, err := toJSON(*of.Of, item)
			if err != nil {
				return nil, err
			}
			texts[i] = text
		}
		return json.Marshal(texts)
	case contract.Map, contract.Object:
		return membersToJSON(of, value)
	default:
		var text string
		if err := value.As(&text); err != nil {
			return nil, err
		}
		if of.Kind == contract.JSON {
			return json.RawMessage(text), nil
		}
		return encode(text)
	}
}

func membersToJSON(of contract.Type, value tftypes.Value) (json.RawMessage, error) {
	var values map[string]tftypes.Value
	if err := value.As(&values); err != nil {
		return nil, err
	}
	texts := make(map[string]json.RawMessage, len(values))
	for name, one := range values {
		if one.IsNull() && of.Kind == contract.Object {
			continue
		}
		text, err := toJSON(memberType(of, name), one)
		if err != nil {
			return nil, err
		}
		texts[name] = text
	}
	return encode(texts)
}

func memberType(of contract.Type, name string) contract.Type {
	if of.Kind == contract.Map {
		return *of.Of
	}
	for _, member := range of.Members {
		if member.Name == name {
			return member.Type
		}
	}
	return contract.Type{}
}

// encode writes JSON without escapes for HTML, which would change what people wrote.
func encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// fromJSON returns what a response shows as a value of plans and states.
func fromJSON(of contract.Type, text json.RawMessage) (tftypes.Value, error) {
	kind := rawType(of)
	if isNull(text) {
		return tftypes.NewValue(kind, nil), nil
	}
	switch of.Kind {
	case contract.Bool:
		var flag bool
		err := json.Unmarshal(text, &flag)
		return tftypes.NewValue(kind, flag), err
	case contract.Integer, contract.Number:
		number, _, err := big.ParseFloat(string(text), 10, precision, big.ToNearestEven)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%.40q is no number", text)
		}
		return tftypes.NewValue(kind, number), nil
	case contract.List:
		return listFromJSON(of, text)
	case contract.Map, contract.Object:
		return membersFromJSON(of, text)
	case contract.JSON:
		var compact bytes.Buffer
		err := json.Compact(&compact, text)
		return tftypes.NewValue(kind, compact.String()), err
	default:
		var value string
		err := json.Unmarshal(text, &value)
		return tftypes.NewValue(kind, value), err
	}
}

func listFromJSON(of contract.Type, text json.RawMessage) (tftypes.Value, error) {
	var texts []json.RawMessage
	if text[0] != '[' {
		// The API shows a list of one text as the text.
		texts = []json.RawMessage{text}
	} else if err := json.Unmarshal(text, &texts); err != nil {
		return tftypes.Value{}, err
	}
	items := make([]tftypes.Value, len(texts))
	for i, one := range texts {
		item, err := fromJSON(*of.Of, one)
		if err != nil {
			return tftypes.Value{}, err
		}
		items[i] = item
	}
	return tftypes.NewValue(rawType(of), items), nil
}

func membersFromJSON(of contract.Type, text json.RawMessage) (tftypes.Value, error) {
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(text, &texts); err != nil {
		return tftypes.Value{}, err
	}
	values := make(map[string]tftypes.Value, len(texts))
	if of.Kind == contract.Map {
		for name, one := range texts {
			value, err := fromJSON(*of.Of, one)
			if err != nil {
				return tftypes.Value{}, err
			}
			values[name] = value
		}
		return tftypes.NewValue(rawType(of), values), nil
	}
	for _, member := range of.Members {
		value, err := fromJSON(member.Type, texts[member.Name])
		if err != nil {
			return tftypes.Value{}, err
		}
		values[member.Name] = value
	}
	return tftypes.NewValue(rawType(of), values), nil
}
