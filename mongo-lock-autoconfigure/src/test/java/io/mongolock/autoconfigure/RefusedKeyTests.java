package io.mongolock.autoconfigure;

import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.params.provider.Arguments;

import io.mongolock.annotation.DistributedLock;

/**
 * Tests for keys and names that are refused at startup.
 */
class RefusedKeyTests extends AbstractRefusedMethodTests {

	static final List<Arguments> refused = List.of(
			Arguments.of(Neither.class, "has a lock with neither a name nor a key"),
			Arguments.of(BadSpel.class, "not valid SpEL"),
			Arguments.of(ForgottenHash.class, "'order' is no property of #root"),
			Arguments.of(TextAndArgument.class, "in which 'order' is no property of #root"),
			Arguments.of(ListOfWords.class, "in which 'to' is no property of #root"),
			Arguments.of(ArgumentOfMethod.class, "in which 'order' is no property of #root"),
			Arguments.of(ComputedIndex.class, "in which 'order' is no property of #root"),
			Arguments.of(ValueOfMap.class, "in which 'order' is no property of #root"),
			Arguments.of(UnknownVariable.class,
					"refers to #ordr, but the call has only these variables: [#a0, #order, #p0, #root"),
			Arguments.of(NameAndPosition.class, "#a1 is the name of a parameter, but also the position of another"),
			Arguments.of(NameAndPositionInCondition.class, "#p1 is the name of a parameter, but also the position of"),
			Arguments.of(NameOfSpel.class, "#root is the name of a parameter, but also means something else in SpEL"),
			Arguments.of(NameOfProperty.class, "'args' is a property of #root, but also the name of a parameter"),
			Arguments.of(TypeByName.class, "has the key '#p2' of type " + ObjectKey.Order.class.getName()),
			Arguments.of(SpelName.class, "has the name 'order-#id', which looks like SpEL"),
			Arguments.of(TemplateName.class, "has the name '#{order}', which looks like SpEL"),
			Arguments.of(NoSuchBean.class, "refers to @noSuchBean, but there is no such bean"),
			Arguments.of(NoSuchProperty.class, "RefusedKeyTests$NoSuchProperty$Order has no property 'idd'"),
			Arguments.of(NoSuchMethod.class, "NoSuchMethod$Order has no public method 'getId' with 0 arguments"),
			Arguments.of(NoSuchInnerMethod.class, "java.lang.String has no public method 'trimm' with 0 arguments"),
			Arguments.of(TooManyArguments.class, "has no public method 'concat' with 2 arguments"),
			Arguments.of(NoSuchInnerProperty.class, "'a' + #order.line.artikle"),
			Arguments.of(PrivateProperty.class, "RefusedKeyTests$PrivateProperty$Order has no property 'customer'"),
			Arguments.of(ObjectKey.class, "has the key '#order' of type " + ObjectKey.Order.class.getName()),
			Arguments.of(PropertyKey.class,
					"'#order.lines' of type java.util.List<java.lang.Double>, which cannot be the key"),
			Arguments.of(ElementKey.class, "'#orders' of type java.util.Set<" + ElementKey.Order.class.getName()),
			Arguments.of(ArrayKey.class, "'#days' of type java.util.Date[], which cannot be the key"),
			Arguments.of(NestedKey.class,
					"of type java.lang.Iterable<java.util.List<java.lang.String>>, which cannot be the key"),
			Arguments.of(StreamKey.class, "which can be read only once"),
			Arguments.of(BytesKey.class, "of type byte[], which cannot be the key"),
			Arguments.of(RecordKey.class, "has the key '#p0' of type " + RecordKey.Id.class.getName()),
			Arguments.of(Unresolvable.class, "no property fills its placeholder"));

	static class NoSuchMethod {

		@DistributedLock(key = "#order.getId()")
		void run(Order order) {
		}

		record Order(String id) {

		}

	}

	static class NoSuchInnerMethod {

		@DistributedLock(key = "'a-' + #order.id.trimm().length()")
		void run(NoSuchMethod.Order order) {
		}

	}

	static class TooManyArguments {

		@DistributedLock(key = "#id.concat('a', 'b')")
		void run(String id) {
		}

	}

	static class Neither {

		@DistributedLock
		void run() {
		}

	}

	static class BadSpel {

		@DistributedLock(key = "#order.")
		void run(String order) {
		}

	}

	static class ListOfWords {

		@DistributedLock(key = "{#from, to}")
		void run(String from, String to) {
		}

	}

	static class ArgumentOfMethod {

		@DistributedLock(key = "#root.methodName.concat(order)")
		void run(String order) {
		}

	}

	static class ComputedIndex {

		@DistributedLock(key = "#orders[order + 1]")
		void run(List<String> orders, int order) {
		}

	}

	static class ValueOfMap {

		@DistributedLock(key = "{a: order}['a']")
		void run(String order) {
		}

	}

	static class ForgottenHash {

		@DistributedLock(key = "order.length()")
		void run(String order) {
		}

	}

	static class TextAndArgument {

		@DistributedLock(key = "order-#id")
		void run(String id) {
		}

	}

	static class UnknownVariable {

		@DistributedLock(key = "'a' + #ordr.length()")
		void run(String order) {
		}

	}

	static class NameAndPosition {

		@DistributedLock(key = "#a2 + #a1")
		void run(String a1, String a2) {
		}

	}

	static class NameAndPositionInCondition {

		@DistributedLock(name = "a", condition = "#p1 != null")
		void run(String p1, String p2) {
		}

	}

	static class NameOfSpel {

		@DistributedLock(key = "#root.toString()")
		void run(Object root) {
		}

	}

	static class NameOfProperty {

		@DistributedLock(key = "args[0]")
		void run(String[] args) {
		}

	}

	static class TypeByName {

		@DistributedLock(key = "#p2")
		void run(String p1, ObjectKey.Order p2) {
		}

	}

	static class SpelName {

		@DistributedLock("order-#id")
		void run(String id) {
		}

	}

	static class TemplateName {

		@DistributedLock(name = "#{order}", key = "#id")
		void run(String id) {
		}

	}

	static class NoSuchBean {

		@DistributedLock(key = "'a' + @noSuchBean.of(#id)")
		void run(String id) {
		}

	}

	public static class NoSuchProperty {

		@DistributedLock(key = "#order.idd")
		void run(Order order) {
		}

		public static class Order {

			public String getId() {
				return "";
			}

		}

	}

	static class NoSuchInnerProperty {

		@DistributedLock(key = "'a' + #order.line.artikle")
		void run(Order order) {
		}

		record Order(Line line) {

		}

		record Line(String article) {

		}

	}

	static class PrivateProperty {

		@DistributedLock(key = "#order.customer")
		void run(Order order) {
		}

		@SuppressWarnings("unused")
		static class Order {

			private String customer = "";

			private String getCustomer() {
				return this.customer;
			}

		}

	}

	static class ObjectKey {

		@DistributedLock(key = "#order")
		void run(Order order) {
		}

		static class Order {

		}

	}

	static class PropertyKey {

		@DistributedLock(key = "#order.lines")
		void run(Order order) {
		}

		record Order(List<Double> lines) {

		}

	}

	static class ElementKey {

		@DistributedLock(key = "#orders")
		void run(Set<Order> orders) {
		}

		static class Order {

		}

	}

	static class ArrayKey {

		@DistributedLock(key = "#days")
		void run(Date[] days) {
		}

	}

	static class NestedKey {

		@DistributedLock(key = "#orders")
		void run(Iterable<List<String>> orders) {
		}

	}

	static class StreamKey {

		@DistributedLock(key = "#ids")
		void run(Stream<String> ids) {
		}

	}

	static class BytesKey {

		@DistributedLock(key = "#hash")
		void run(byte[] hash) {
		}

	}

	static class RecordKey {

		@DistributedLock(key = "#p0")
		void run(Id id) {
		}

		record Id(String tenant, int[] numbers) {

		}

	}

	static class Unresolvable {

		@DistributedLock(name = "a", ttl = "${no.such.property}")
		void run() {
		}

	}

}
