package io.mongolock.documents;

import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.ClassCircles;
import io.mongolock.LockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Documents, and the data below them, build on what the library offers to anybody, and it
 * knows nothing of them.
 */
// one instance, so that the classes, which fill half of the heap, go with it
@TestInstance(Lifecycle.PER_CLASS)
class DocumentsArchitectureTests {

	private static final String ROOT = "io.mongolock";

	private static final String DOCUMENTS = ROOT + ".documents..";

	private static final String DATA = ROOT + ".data..";

	private static final Set<String> OFFERED = Stream
		.of("CurrentTransaction", "TemplateFailures", "TokenCommands", "LockedCollection", "LockedCollectionQueues",
				"MajorityCommands", "MongoLockStore", "StoreFailures", "TimedStatements")
		.map((name) -> ROOT + ".store.mongo." + name)
		.collect(Collectors.toSet());

	private final JavaClasses classes = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.withImportOption((location) -> !location.contains("/io/mongolock/test/") && !location.contains("-tests.jar"))
		.importPackages(ROOT);

	@Test
	void documentsKnowTheApiAndWhatModulesBuildOn() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAnyPackage(DOCUMENTS, DATA)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(ROOT + ".web..", ROOT + ".actuate..", ROOT + ".health..", ROOT + ".observation..",
					ROOT + ".annotation..", ROOT + ".interceptor..", ROOT + ".client..", ROOT + ".concurrent..",
					ROOT + ".event..", ROOT + ".core..", ROOT + ".autoconfigure.."));
	}

	@Test
	void documentsKnowFewClassesOfTheMongoStore() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAnyPackage(DOCUMENTS, DATA)
			.should()
			.dependOnClassesThat(DescribedPredicate.describe("are the store's own",
					(JavaClass type) -> type.getPackageName().equals(ROOT + ".store.mongo")
							&& !OFFERED.contains(type.getName().split("\\$")[0]))));
	}

	@Test
	void nobodyKnowsDocuments() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackage(DOCUMENTS)
			.should()
			.dependOnClassesThat()
			.resideInAPackage(DOCUMENTS));
	}

	@Test
	void onlyDocumentsKnowData() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackages(DOCUMENTS, DATA)
			.should()
			.dependOnClassesThat()
			.resideInAPackage(DATA));
	}

	@Test
	void onlyTheAutoConfigurationKnowsBoot() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAnyPackage(DOCUMENTS, DATA)
			.and()
			.resideOutsideOfPackage(ROOT + ".documents.autoconfigure")
			.and(DescribedPredicate.not(DescribedPredicate.describe("configure data", this::configuresData)))
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.boot..", ROOT + ".documents.autoconfigure"));
	}

	@Test
	void theAutoConfigurationKnowsNoDriver() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage(ROOT + ".documents.autoconfigure")
			.or(DescribedPredicate.describe("configure data", this::configuresData))
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("com.mongodb..", "org.bson.."));
	}

	private boolean configuresData(JavaClass type) {
		return type.getName().startsWith(ROOT + ".data.MongoLockData");
	}

	@Test
	void everyTimingDecisionGoesByTheInjectedClock() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAnyPackage(DOCUMENTS, DATA)
			.should()
			.callMethod(System.class, "nanoTime")
			.orShould()
			.callMethod(System.class, "currentTimeMillis")
			.orShould()
			.callMethod(Instant.class, "now")
			.orShould()
			.callMethod(LockClock.class, "system"));
	}

	@Test
	void thereAreNoCycles() {
		check(SlicesRuleDefinition.slices().matching(ROOT + ".(**)").should().beFreeOfCycles());
	}

	@Test
	void noClassesOfAPackageFormACircle() {
		check(ClassCircles.none());
	}

	@Test
	void autoConfigurationsArePublicAndFinalWithoutPublicMembers() {
		check(ArchRuleDefinition.classes()
			.that()
			.areAnnotatedWith(AutoConfiguration.class)
			.should()
			.bePublic()
			.andShould()
			.haveModifier(JavaModifier.FINAL));
		check(ArchRuleDefinition.noMethods()
			.that()
			.areDeclaredInClassesThat()
			.areMetaAnnotatedWith(Configuration.class)
			.should()
			.bePublic());
		check(ArchRuleDefinition.methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate());
		check(ArchRuleDefinition.classes().that().areAssignableTo(FailureAnalyzer.class).should().notBePublic());
	}

	@Test
	void everyPackageIsNullMarked() {
		assertThat(this.classes.stream().map(JavaClass::getPackage).distinct()).isNotEmpty()
			.allMatch((one) -> one.isAnnotatedWith(NullMarked.class));
	}

	private void check(ArchRule rule) {
		rule.check(this.classes);
	}

}
