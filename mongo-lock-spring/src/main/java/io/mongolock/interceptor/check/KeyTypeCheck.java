package io.mongolock.interceptor.check;

import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;

import io.mongolock.LockKeyTypes;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.SeveralKeys;

/**
 * Refuses keys and conditions of an unusable type, as far as the type is known before the
 * first call. The names in them are checked first: by an {@link ArgumentPath} if the
 * expression is one, otherwise by a {@link SpelNameCheck}.
 */
record KeyTypeCheck(BeanFactory beans) {

	void check(LockOperation operation, Class<?> targetClass) {
		if (operation.condition() != null) {
			DeclaredExpression condition = new DeclaredExpression("condition", operation.condition(),
					operation.method(), targetClass);
			checkCondition(check(condition), condition);
		}
		if (operation.key() != null) {
			DeclaredExpression key = new DeclaredExpression("key", operation.key(), operation.method(), targetClass);
			checkType(check(key), operation.document() != null, key);
		}
	}

	private @Nullable ArgumentPath check(DeclaredExpression declared) {
		ArgumentPath plain = ArgumentPath.of(declared);
		if (plain == null) {
			return new SpelNameCheck(this.beans::containsBean).check(declared);
		}
		plain.check(declared);
		return plain;
	}

	private static void checkType(@Nullable ArgumentPath path, boolean inDocument, DeclaredExpression key) {
		ResolvableType type = (path != null) ? path.type(key) : null;
		boolean several = type != null && SeveralKeys.areIn(type.toClass());
		// The mapping decides which types an id of a document can have
		if (path == null || type == null || (inDocument && !several)) {
			return;
		}
		if (inDocument) {
			throw key.invalid(" of type " + type + ", but a document is locked by one id",
					"Let the key be one value, and call the method once for each value.", null);
		}
		if (path.properties().isEmpty() && BaseStream.class.isAssignableFrom(type.toClass())) {
			throw key.invalid(" of type " + type + ", which can be read only once, so the method would find the stream "
					+ "empty", "Let the method take a collection of the keys, for example a List.", null);
		}
		String refusal = LockKeyTypes.refusal(((several) ? element(type) : type).toClass());
		if (refusal != null) {
			throw key.invalid(" of type " + type + ", which cannot be the key of a lock",
					((several) ? "An element is a " : "The key is a ") + refusal + ".", null);
		}
	}

	private static ResolvableType element(ResolvableType several) {
		if (several.isArray()) {
			return several.getComponentType();
		}
		ResolvableType iterable = several.as(Iterable.class);
		return ((iterable != ResolvableType.NONE) ? iterable : several.as(BaseStream.class)).getGeneric(0);
	}

	private static void checkCondition(@Nullable ArgumentPath path, DeclaredExpression condition) {
		ResolvableType declared = (path != null) ? path.type(condition) : null;
		Class<?> type = (declared != null) ? declared.toClass() : Object.class;
		if (!type.isAssignableFrom(Boolean.class) && type != boolean.class) {
			throw condition.invalid(" of type " + type.getTypeName() + ", but a condition must be true or false",
					"Compare the value, for example with != null.", null);
		}
	}

}
