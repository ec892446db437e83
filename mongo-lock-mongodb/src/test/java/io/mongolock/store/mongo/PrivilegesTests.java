package io.mongolock.store.mongo;

import java.util.List;

import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Privileges}.
 */
class PrivilegesTests {

	private static final List<String> NEEDED = List.of("find", "update");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{db: "shop", collection: "locks"}  | []
			{db: "shop", collection: ""}       | []
			{db: "", collection: ""}           | []
			{anyResource: true}                | []
			{db: "shop", collection: "orders"} | [find, update]
			{db: "other", collection: "locks"} | [find, update]
			{cluster: true}                    | [find, update]
			""")
	void aPrivilegeCountsWhereItIsGranted(String resource, String missing) {
		assertThat(privileges(resource, "find", "update").missing("shop", "locks", NEEDED)).hasToString(missing);
	}

	@Test
	void missingActionsComeWithTheStatementsThatGrantThem() {
		Privileges privileges = privileges("{db: 'shop', collection: 'locks'}", "find");
		assertThat(privileges.missing("shop", "locks", NEEDED)).containsExactly("update");
		assertThat(privileges.grant("shop", "locks", NEEDED)).isEqualTo("var mongoLock = db.getSiblingDB(\"shop\"); "
				+ "mongoLock.getRole(\"mongoLock_app_locks\") || mongoLock.createRole({role: \"mongoLock_app_locks\", "
				+ "privileges: [], roles: []}); mongoLock.grantPrivilegesToRole(\"mongoLock_app_locks\", [{resource: "
				+ "{db: \"shop\", collection: \"locks\"}, actions: [\"find\", \"update\"]}]); "
				+ "db.getSiblingDB(\"admin\").grantRolesToUser(\"app\", [{role: \"mongoLock_app_locks\", db: \"shop\"}])");
	}

	@Test
	void namesAreQuoted() {
		assertThat(privileges("{cluster: true}", "find").grant("a\"b", "c\\d", NEEDED))
			.contains("db.getSiblingDB(\"a\\\"b\")", "collection: \"c\\\\d\"", "mongoLock_app_c\\\\d");
	}

	@Test
	void whereNobodySignsInOrTheServerDoesNotSayNothingIsMissing() {
		assertThat(Privileges.of(new Document())).isEmpty();
		assertThat(Privileges.of(Document.parse(
				"{authInfo: {authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: []}}")))
			.isEmpty();
		assertThat(Privileges.of(Document.parse("{authInfo: {authenticatedUsers: [{user: 'app', db: 'admin'}]}}")))
			.isEmpty();
	}

	private static Privileges privileges(String resource, String... actions) {
		Document privilege = new Document("resource", Document.parse(resource)).append("actions", List.of(actions));
		Document info = new Document("authenticatedUsers", List.of(Document.parse("{user: 'app', db: 'admin'}")))
			.append("authenticatedUserPrivileges", List.of(privilege));
		return Privileges.of(new Document("authInfo", info)).orElseThrow();
	}

}
