package provider

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/junction-platform/terraform-provider-junction/internal/api"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

func TestJSONIsComparedByItsValue(t *testing.T) {
	for _, pair := range [][2]string{
		{`{"b":[1,true,null],"a":"<&é"}`, "{ \"a\": \"\\u003c\\u0026\\u00e9\",\n\"b\": [1, true, null] }"},
		{`1`, `1.0`}, {`100`, `1e2`}, {`0.5`, `5E-1`}, {`0`, `0.00e9`}, {`-1.50`, `-15e-1`}, {`{}`, ` { } `},
	} {
		if !same(pair[0], pair[1]) {
			t.Errorf("%s and %s are not the same", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{`12345678901234567890`, `12345678901234567891`}, {`0.1`, `0.10000000000000001`}, {`1e400`, `1e401`}, {`1`, `"1"`},
		{`[1,2]`, `[2,1]`}, {`{"a":null}`, `{}`}, {`1`, `-1`}, {`1e99999999999`, `1e99999999998`}, {`{`, `{ `}, {`1 1`, `1  1`},
	} {
		if same(pair[0], pair[1]) {
			t.Errorf("%s and %s are the same", pair[0], pair[1])
		}
	}
	if _, err := canonical([]byte(strings.Repeat("[", 100_000))); err == nil {
		t.Error("an endless nesting is JSON")
	}
}

func TestValuesAreTheSameAfterARoundTrip(t *testing.T) {
	for kind, text := range map[contract.Kind]string{
		contract.Text: `"a < b\u2028\n"`, contract.Integer: `9007199254740993`, contract.Number: `0.1`, contract.Bool: `false`,
		contract.JSON: `{"b":1e400,"a":-0}`,
	} {
		of := contract.Type{Kind: kind}
		for _, of := range []contract.Type{of, {Kind: contract.List, Of: &of}, {Kind: contract.Map, Of: &of}, {Kind: contract.Object, Members: []contract.Member{{Name: "a", Type: of}}}} {
			given := text
			switch of.Kind {
			case contract.List:
				given = "[" + text + "]"
			case contract.Map, contract.Object:
				given = `{"a":` + text + "}"
			}
			value, err := fromJSON(of, []byte(given))
			if err != nil {
				t.Fatal(err)
			}
			back, err := toJSON(of, value)
			if err != nil || !same(string(back), given) {
				t.Errorf("%s became %s (%v)", given, back, err)
			}
		}
	}
	if value, err := fromJSON(contract.Type{Kind: contract.Bool}, []byte(`"yes"`)); err == nil {
		t.Errorf("a text is the flag %v", value)
	}
}

func TestAPathIsOneObjects(t *testing.T) {
	text := func(value string) values { return values{"id": tftypes.NewValue(tftypes.String, value)} }
	operation := contract.Operation{Method: "GET", Path: "/v1/rules/{id}"}
	if path, err := pathOf(operation, text("a/../b?c=d é")); err != nil || path != "/v1/rules/a%2F..%2Fb%3Fc=d%20%C3%A9" {
		t.Error(path, err)
	}
	for _, id := range []string{"", ".", ".."} {
		if path, err := pathOf(operation, text(id)); err == nil {
			t.Errorf("%q is the path %s", id, path)
		}
	}
}

func TestAFaultIsShownAtItsAttribute(t *testing.T) {
	problem := &api.Problem{Status: 422, Code: "validation_failed", Title: "Not valid.", RequestID: "req_1", Faults: []api.Fault{
		{Pointer: "/events/1", Code: "format", Message: "No event."},
		{Pointer: "/auth/secret_ref", Code: "unknown", Message: "No secret."},
		{Pointer: "/headers/X-A", Code: "format", Message: "No header."},
		{Pointer: "/filter/all/0/op", Code: "enum", Message: "No operator."},
		{Pointer: "/elsewhere", Code: "unknown", Message: "No member."},
		{Pointer: "", Code: "format", Message: "Nothing."},
	}}
	endpoint := named(t, "webhook_endpoint")
	diagnostics := refusal(endpoint, "create", problem)
	want := []string{"events[1]", "auth.secret_ref", `headers["X-A"]`, "filter"}
	for i, at := range want {
		if one, ok := diagnostics[i].(diag.DiagnosticWithPath); !ok || one.Path().String() != at {
			t.Errorf("%v is not at %s", diagnostics[i], at)
		}
	}
	if len(diagnostics) != 6 || diagnostics[3].Detail() != "At /all/0/op: No operator. (enum, request req_1)" {
		t.Error(diagnostics)
	}
}

func TestAPlanAfterAnApplyIsEmpty(t *testing.T) {
	endpoint := named(t, "webhook_endpoint")
	config := values{}
	for _, member := range endpoint.Members {
		config[member.Name] = tftypes.NewValue(rawType(member.Type), nil)
		if hasWriteOnly(member) {
			config[member.Name+writeOnly] = config[member.Name]
			config[member.Name+version] = tftypes.NewValue(tftypes.Number, nil)
		}
	}
	created, err := plan(endpoint, config, nil)
	if err != nil {
		t.Fatal(err)
	}
	if created.values["id"].IsKnown() || !created.values["filter"].IsNull() || created.values["kind"].IsNull() {
		t.Error(created.values)
	}
	state, err := settled(endpoint, created.values, nil, object{"id": []byte(`"ep_1"`), "name": []byte(`"a"`), "max_in_flight": []byte("16")})
	if err != nil {
		t.Fatal(err)
	}
	again, err := plan(endpoint, config, state)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range again.values {
		if !value.Equal(state[name]) {
			t.Errorf("%s is planned as %v", name, value)
		}
	}
	config["rate_limit_per_second"] = tftypes.NewValue(tftypes.Number, big.NewFloat(5))
	config["kind"] = tftypes.NewValue(tftypes.String, "pull")
	changed, err := plan(endpoint, config, state)
	if err != nil || len(changed.replace) != 1 || changed.replace[0] != "kind" {
		t.Error(changed.replace, err)
	}
	if changed.values["name"].IsKnown() || !changed.values["id"].Equal(state["id"]) {
		t.Error("the service's members are not open, or the id is")
	}
}

func named(t *testing.T, name string) contract.Resource {
	t.Helper()
	for _, one := range contract.Resources {
		if one.Name == name {
			return one
		}
	}
	t.Fatalf("there is no %s", name)
	return contract.Resource{}
}
