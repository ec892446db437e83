package io.mongolock.sample.orders;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import com.mongodb.client.MongoCluster;
import com.tngtech.archunit.core.domain.AccessTarget.MethodCallTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No statement of any module leaves without a time limit on the driver's side: a primary
 * that is frozen answers nothing. A statement needs a collection or a database, and those
 * who get one limit it. Here, as {@link PublicApiTests}, since no other module is built
 * after all of them.
 */
class StatementLimitsTests {

	private static final String STORE = "io.mongolock.store.mongo.";

	/** They give each request the limit that it asks for. */
	private static final Set<String> LIMIT = Set.of(STORE + "PrimaryCollection", STORE + "TimedStatements");

	/** They send no statement by the template that they are given. */
	private static final Set<String> SEND_NOTHING = Set.of("getConverter", "getCollectionName",
			"getMongoDatabaseFactory", "setSessionSynchronization", "setApplicationContext");

	/** They look whether there is a database, what it is called, or whose it is. */
	private static final Set<String> LOOK = Set.of(STORE + "CurrentTransaction",
			"io.mongolock.autoconfigure.LockDatabase", "io.mongolock.documents.SingleDatabase");

	private final JavaClasses classes = new ClassFileImporter().importPaths(PublicApiTests.published());

	@Test
	void onlyThoseThatLimitStatementsSendByATemplate() {
		Set<String> senders = callers((target) -> target.getOwner().isAssignableTo(MongoOperations.class)
				&& !SEND_NOTHING.contains(target.getName()) && !isDatabase(target));
		assertThat(senders).containsExactlyInAnyOrderElementsOf(LIMIT);
	}

	@Test
	void othersOnlyLookAtADatabase() {
		assertThat(callers((target) -> isDatabase(target))).containsExactlyInAnyOrderElementsOf(LOOK);
	}

	private static boolean isDatabase(MethodCallTarget target) {
		return switch (target.getName()) {
			case "getDb", "getCollection" -> target.getOwner().isAssignableTo(MongoOperations.class);
			case "getMongoDatabase" -> target.getOwner().isAssignableTo(MongoDatabaseFactory.class);
			case "getDatabase" -> target.getOwner().isAssignableTo(MongoCluster.class);
			default -> false;
		};
	}

	private Set<String> callers(Predicate<MethodCallTarget> called) {
		return this.classes.stream()
			.filter((type) -> !type.getPackageName().startsWith("io.mongolock.test"))
			.flatMap((type) -> type.getMethodCallsFromSelf().stream())
			.filter((call) -> called.test(call.getTarget()))
			.map(JavaMethodCall::getOriginOwner)
			.map(StatementLimitsTests::outermost)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static String outermost(JavaClass type) {
		return type.getEnclosingClass().map(StatementLimitsTests::outermost).orElse(type.getName());
	}

}
