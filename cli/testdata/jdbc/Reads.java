import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** Asks a server of da what tools ask over JDBC, and prints the answers. */
public class Reads {
  public static void main(String[] args) throws SQLException {
    Properties p = new Properties();
    p.put("user", "anyone");
    p.put("password", System.getenv("DA_TOKEN"));
    p.put("useEncryption", "false");
    try (Connection c = DriverManager.getConnection("jdbc:arrow-flight-sql://" + System.getenv("DA_FLIGHT"), p)) {
      DatabaseMetaData m = c.getMetaData();
      System.out.println(m.getDatabaseProductName() + ", read only: " + m.isReadOnly());
      show("catalogs", m.getCatalogs(), 1);
      show("schemas", m.getSchemas(), 1);
      show("types of tables", m.getTableTypes(), 1);
      show("tables", m.getTables(null, null, "%", null), 2, 3, 4);
      show("columns", m.getColumns(null, null, "fl%", "d%"), 3, 4, 5, 6);
      show("keys", m.getPrimaryKeys(null, null, "flights"), 3);
      show("foreign keys", m.getImportedKeys(null, null, "flights"), 3);
      try (PreparedStatement s = c.prepareStatement("SELECT origin, count(*) AS n FROM flights GROUP BY origin ORDER BY n DESC LIMIT 2")) {
        System.out.println(s.getMetaData().getColumnName(2) + " " + s.getMetaData().getColumnTypeName(2));
        show("rows", s.executeQuery(), 1, 2);
        show("again", s.executeQuery(), 1, 2);
      }
      try (Statement s = c.createStatement()) {
        s.executeQuery("SELECT * FROM airports");
      } catch (SQLException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  static void show(String what, ResultSet rows, int... columns) throws SQLException {
    StringBuilder line = new StringBuilder(what + ":");
    try (rows) {
      while (rows.next()) {
        for (int i : columns) {
          line.append(" ").append(rows.getString(i));
        }
      }
    }
    System.out.println(line);
  }
}
