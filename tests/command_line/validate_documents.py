"""validate_documents.py SCHEMAS DOCUMENT...: JSON documents of detent against the JSON Schemas that they name.

Checks, each with a line for what is wrong, exit 1 then:
- the schemas: draft 2020-12, one version, every object closed, every property described in a sentence;
- the documents: each follows the schema that its member "schema" names;
- negative twins: at every place of a schema that a document reaches, the document is refused with a required member left out,
  with an unknown member, and with a value of another type.
--all-seen: besides, every member of every schema has a value other than null in one of the documents, unless it is always null.
Exit 77 without the module jsonschema.
"""

import json
import sys
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("SKIPPED: the module jsonschema with draft 2020-12 is not there (Debian: python3-jsonschema)")
    sys.exit(77)


class Schemas:
    """The schemas of a folder by their $id; references between them are resolved without a network."""

    def __init__(self, folder):
        self.by_id = {}
        self.files = {}
        for file in sorted(Path(folder).glob("*.schema.json")):
            schema = json.loads(file.read_text(encoding="utf-8"))
            self.by_id[schema["$id"]] = schema
            self.files[file.name.removesuffix(".schema.json")] = schema

    def validator(self, schema):
        try:  # jsonschema from 4.18 on
            from referencing import Registry, Resource
        except ImportError:
            from jsonschema import RefResolver

            return Draft202012Validator(schema, resolver=RefResolver("", {}, store=self.by_id))
        resources = [(name, Resource.from_contents(one)) for name, one in self.by_id.items()]
        return Draft202012Validator(schema, registry=Registry().with_resources(resources))

    def target(self, reference):
        base, _, pointer = reference.partition("#/$defs/")
        return self.by_id[base]["$defs"][pointer] if pointer else self.by_id[base]

    def alternatives(self, place, schema):
        """(place, schema) without references and anyOf; a place of a part is named by the part, of a document in another
        by the document's kind."""
        if "$ref" in schema:
            _, part, name = schema["$ref"].rpartition("/")
            own = "parts/" + name if part else schema["$ref"].split(":")[2]
            yield from self.alternatives(own, self.target(schema["$ref"]))
        elif "anyOf" in schema:
            for one in schema["anyOf"]:
                yield from self.alternatives(place, one)
        else:
            yield place, schema

    def inner(self, place, schema):
        """(place, name or None, schema) of what an object or a list holds."""
        for name, member in schema.get("properties", {}).items():
            yield f"{place}/{name}", name, member
        for key in ("additionalProperties", "items"):
            if isinstance(schema.get(key), dict):
                yield f"{place}/*", None, schema[key]

    def all_places(self):
        """Every member that may have a value other than null."""
        found = set()

        def walk(place, schema):
            for own, one in self.alternatives(place, schema):
                for inside, _, member in self.inner(own, one):
                    if inside not in found and member.get("type") != "null":
                        found.add(inside)
                        walk(inside, member)

        for kind, schema in self.files.items():
            if "$defs" not in schema:
                walk(kind, schema)
        return {place for place in found if not place.endswith("*")}


def faults_of_schemas(schemas):
    versions = set()
    for kind, schema in schemas.files.items():
        Draft202012Validator.check_schema(schema)
        urn, name, own, version = schema["$id"].split(":")
        versions.add(version)
        if (urn, name, own) != ("urn", "detent", kind):
            yield f"{kind}: $id is {schema['$id']}"

        def walk(place, one):
            if "properties" in one and one.get("additionalProperties") is not False:
                yield f"{place}: not closed"
            for name, member in one.get("properties", {}).items():
                text = member.get("description", "")
                if not (text[:1].isupper() and text.endswith(".")):
                    yield f"{place}/{name}: not described in a sentence"
            inside = list(one.get("properties", {}).items()) + list(one.get("$defs", {}).items())
            inside += [(key, one[key]) for key in ("items", "additionalProperties") if isinstance(one.get(key), dict)]
            inside += [("anyOf", member) for member in one.get("anyOf", [])]
            for name, member in inside:
                yield from walk(f"{place}/{name}", member)

        yield from walk(kind, schema)
    if len(versions) != 1:
        yield f"schemas of several versions: {sorted(versions)}"


class Twins:
    """Breaks a value in one way at each place of the schemas, once for all documents."""

    def __init__(self, schemas):
        self.schemas = schemas
        self.tried = set()
        self.walked = set()
        self.seen = set()  # places with a value that is not null
        self.accepted = []

    def refused(self, what, place, schema, twin):
        if (what, place) in self.tried:
            return
        self.tried.add((what, place))
        if self.schemas.validator(schema).is_valid(twin):
            self.accepted.append(f"{place}: a twin with {what} is accepted")

    def walk(self, place, schema, value):
        other = [] if isinstance(value, dict) else {}
        self.refused("another type", place, schema, other)
        for own, one in self.schemas.alternatives(place, schema):
            if not self.schemas.validator(one).is_valid(value):
                continue
            if isinstance(value, dict):
                self.refused("an unknown member", own, one, {**value, "unknown_member": []})
                for name in one.get("required", []):
                    twin = {key: member for key, member in value.items() if key != name}
                    self.refused(f"no '{name}'", own, one, twin)
            for inside, name, member in self.schemas.inner(own, one):
                if name is not None:
                    values = [value[name]] if isinstance(value, dict) and name in value else []
                elif isinstance(value, dict):
                    values = [item for key, item in value.items() if key not in one.get("properties", {})]
                else:
                    values = value if isinstance(value, list) else []
                for item in values:
                    if item is not None:
                        self.seen.add(inside)
                    # Of long lists only items that may reach a new place are walked.
                    form = (inside, frozenset(key for key in item if item[key] is not None) if isinstance(item, dict) else None)
                    if name is None and form in self.walked and not nested(item):
                        continue
                    self.walked.add(form)
                    self.walk(inside, member, item)
            return


def nested(item):
    return isinstance(item, dict) and any(isinstance(member, (dict, list)) and member for member in item.values())


def main(arguments):
    all_seen = arguments[:1] == ["--all-seen"]
    arguments = arguments[all_seen:]
    schemas = Schemas(arguments[0])
    faults = list(faults_of_schemas(schemas))
    twins = Twins(schemas)
    kinds = set()
    for file in arguments[1:]:
        document = json.loads(Path(file).read_text(encoding="utf-8"))
        schema = schemas.by_id.get(document.get("schema"))
        if schema is None:
            faults.append(f"{file}: follows '{document.get('schema')}', which is no schema here")
            continue
        errors = sorted(schemas.validator(schema).iter_errors(document), key=lambda error: list(error.absolute_path))
        for error in errors[:5]:
            place = "/".join(str(step) for step in error.absolute_path)
            faults.append(f"{file}: {place or 'the document'}: {error.message[:300]}")
        if errors:
            continue
        kind = document["schema"].split(":")[2]
        kinds.add(kind)
        twins.walk(kind, schema, document)
    faults += twins.accepted
    if all_seen:
        faults += [f"{place}: no document has it with a value" for place in sorted(schemas.all_places() - twins.seen)]
    for fault in faults:
        print(fault)
    print(f"{len(arguments) - 1} documents of {len(kinds)} kinds, {len(twins.tried)} twins, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
