package io.mongolock;

import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
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

import io.mongolock.core.ClockReading;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.StoreServers;
import io.mongolock.store.StoreSubscription;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The packages are the path of a call; each knows those after it, and the root.
 */
// One instance, so that the classes, which fill half of the heap, go with it
@TestInstance(Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String ROOT = "io.mongolock";

	private static final List<String> PATH = List.of("web", "actuate", "health", "observation", "event.spring",
			"annotation", "interceptor.check", "interceptor", "client", "linger", "background", "concurrent", "event",
			"core", "spi", "store.mongo", "store");

	private final JavaClasses classes = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.withImportOption((location) -> !location.contains("/io/mongolock/test/") && !location.contains("-tests.jar"))
		.importPackages(ROOT);

	@Test
	void packagesKnowOnlyThoseAfterThemAndTheRoot() {
		for (int i = 0; i < PATH.size(); i++) {
			String[] before = PATH.subList(0, i).stream().map((name) -> ROOT + "." + name).toArray(String[]::new);
			check(ArchRuleDefinition.noClasses()
				.that()
				.resideInAPackage(ROOT + "." + PATH.get(i))
				.should()
				.dependOnClassesThat()
				.resideInAnyPackage(before));
		}
	}

	@Test
	void onlyTheAutoConfigurationKnowsTheMongoStore() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackages(ROOT + ".store.mongo", ROOT + ".autoconfigure")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT + ".store.mongo"));
	}

	@Test
	void rootKnowsNoOtherPackage() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage(ROOT)
			.should()
			.dependOnClassesThat(DescribedPredicate.describe("are in a package below the root",
					(JavaClass type) -> type.getPackageName().startsWith(ROOT + "."))));
	}

	@Test
	void everyPackageIsOnTheList() {
		check(ArchRuleDefinition.classes()
			.should()
			.resideInAnyPackage(PATH.stream().map((name) -> ROOT + "." + name).toArray(String[]::new))
			.orShould()
			.resideInAnyPackage(ROOT, ROOT + ".autoconfigure"));
	}

	@Test
	void nobodyKnowsTheAutoConfiguration() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackage(ROOT + ".autoconfigure")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(ROOT + ".autoconfigure"));
	}

	@Test
	void onlyTheMongoStoreKnowsTheDriver() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackage(ROOT + ".store.mongo")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("com.mongodb..", "org.bson.."));
	}

	@Test
	void onlyTheMongoStoreTheModulesAndTheWiringKnowSpringData() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackages(ROOT + ".store.mongo", ROOT + ".spi", ROOT + ".autoconfigure")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework.data.."));
	}

	@Test
	void onlyTheAutoConfigurationAndTheViewsOfOperatorsKnowBoot() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackages(ROOT + ".autoconfigure", ROOT + ".actuate", ROOT + ".health")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework.boot.."));
	}

	@Test
	void onlyObservationsAndTheAutoConfigurationKnowMicrometerAndSlf4j() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackages(ROOT + ".autoconfigure", ROOT + ".observation")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.micrometer..", "org.slf4j.."));
	}

	@Test
	void everyTimingDecisionGoesByTheInjectedClock() {
		// The store's requests run on the driver's own timeouts
		check(ArchRuleDefinition.noClasses()
			.that()
			.areNotAssignableTo(LockClock.class)
			.and()
			.resideOutsideOfPackage(ROOT + ".store.mongo")
			.should()
			.callMethod(System.class, "nanoTime")
			.orShould()
			.callMethod(System.class, "currentTimeMillis")
			.orShould()
			.callMethod(Instant.class, "now"));
	}

	@Test
	void decisionsKnowNeitherThreadsNorClocksNorTheStore() {
		DescribedPredicate<JavaClass> decides = DescribedPredicate.describe("decide",
				(JavaClass type) -> type.getPackageName().equals(ROOT + ".core"));
		Stream
			.of(Thread.class, Executor.class, Future.class, LockSupport.class, Random.class, LockStore.class,
					ReleaseListener.class, StoreSubscription.class, StoreServers.class)
			.forEach((shell) -> check(ArchRuleDefinition.noClasses()
				.that(decides)
				.should()
				.dependOnClassesThat()
				.areAssignableTo(shell)));
		check(ArchRuleDefinition.noClasses()
			.that(decides)
			.and()
			.areNotAssignableTo(ClockReading.class)
			.should()
			.dependOnClassesThat()
			.areAssignableTo(LockClock.class));
		check(ArchRuleDefinition.noClasses()
			.that(decides)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework..", "com.mongodb..", "org.bson..", "java.util.concurrent.locks"));
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
			.haveModifier(JavaModifier.FINAL)
			.andShould()
			.haveSimpleNameEndingWith("AutoConfiguration"));
		check(ArchRuleDefinition.noMethods()
			.that()
			.areDeclaredInClassesThat()
			.areMetaAnnotatedWith(Configuration.class)
			.should()
			.bePublic());
		check(ArchRuleDefinition.methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate());
	}

	@Test
	void failureAnalyzersAreNotPublic() {
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
