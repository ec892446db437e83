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

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{db: "shop", collection: "locks"}  | [find]
			{db: "shop", collection: ""}       | [find]
			{db: "", collection: ""}           | [find]
			{anyResource: true}                | [find]
			{db: "shop", collection: "orders"} | []
			{db: "other", collection: "locks"} | []
			{cluster: true}                    | []
			""")
	void aPrivilegeCountsWhereItIsGranted(String resource, String granted) {
		assertThat(privileges(resource, "shop", "locks").granted()).hasToString(granted);
	}

	@Test
	void thereAreStatementsThatGrantActions() {
		Privileges privileges = privileges("{db: 'shop', collection: 'locks'}", "shop", "locks");
		assertThat(privileges.grant(List.of("find", "update"))).isEqualTo("var mongoLock = db.getSiblingDB(\"shop\"); "
				+ "mongoLock.getRole(\"mongoLock_app_locks\") || mongoLock.createRole({role: \"mongoLock_app_locks\", "
				+ "privileges: [], roles: []}); mongoLock.grantPrivilegesToRole(\"mongoLock_app_locks\", [{resource: "
				+ "{db: \"shop\", collection: \"locks\"}, actions: [\"find\", \"update\"]}]); "
				+ "db.getSiblingDB(\"admin\").grantRolesToUser(\"app\", [{role: \"mongoLock_app_locks\", db: \"shop\"}])");
	}

	@Test
	void namesAreQuoted() {
		assertThat(privileges("{cluster: true}", "a\"b", "c\\d").grant(List.of("find")))
			.contains("db.getSiblingDB(\"a\\\"b\")", "collection: \"c\\\\d\"", "mongoLock_app_c\\\\d");
	}

	@Test
	void whereNobodySignsInOrTheServerDoesNotSayNothingIsMissing() {
		assertThat(Privileges.of(new Document(), "shop", "locks")).isEmpty();
		assertThat(Privileges.of(Document
			.parse("{authInfo: {authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: []}}"),
				"shop", "locks"))
			.isEmpty();
		assertThat(Privileges.of(Document.parse("{authInfo: {authenticatedUsers: [{user: 'app', db: 'admin'}]}}"),
				"shop", "locks"))
			.isEmpty();
	}

	private static Privileges privileges(String resource, String database, String collection) {
		Document privilege = new Document("resource", Document.parse(resource)).append("actions", List.of("find"));
		Document info = new Document("authenticatedUsers", List.of(Document.parse("{user: 'app', db: 'admin'}")))
			.append("authenticatedUserPrivileges", List.of(privilege));
		return Privileges.of(new Document("authInfo", info), database, collection).orElseThrow();
	}

}
