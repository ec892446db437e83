package io.mongolock;

import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

/**
 * No classes know each other in a circle, so that there is one to begin to read with.
 * What a file nests is part of it.
 */
public final class ClassCircles implements SliceAssignment {

	private static final Set<String> API = Set.of("io.mongolock", "io.mongolock.data", "io.mongolock.documents");

	private ClassCircles() {
	}

	/**
	 * The rule. An interface of the API may make what implements it, as {@code List.of}
	 * does, because users see neither class nor circle.
	 * @return the rule
	 */
	public static ArchRule none() {
		return SlicesRuleDefinition.slices()
			.assignedFrom(new ClassCircles())
			.should()
			.beFreeOfCycles()
			.ignoreDependency(DescribedPredicate.describe("is an interface of the API", ClassCircles::isOfApi),
					DescribedPredicate.describe("implements one and is not seen",
							ClassCircles::isHiddenImplementation));
	}

	private static boolean isOfApi(JavaClass type) {
		return type.isInterface() && API.contains(type.getPackageName())
				&& type.getModifiers().contains(JavaModifier.PUBLIC);
	}

	private static boolean isHiddenImplementation(JavaClass type) {
		return !type.getModifiers().contains(JavaModifier.PUBLIC)
				&& type.getRawInterfaces().stream().anyMatch(ClassCircles::isOfApi);
	}

	@Override
	public SliceIdentifier getIdentifierOf(JavaClass type) {
		return SliceIdentifier.of(type.getFullName().split("\\$")[0]);
	}

	@Override
	public String getDescription() {
		return "the classes of a package";
	}

}
